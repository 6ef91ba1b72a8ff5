"""Which kernels multiply by packed weights?"""
