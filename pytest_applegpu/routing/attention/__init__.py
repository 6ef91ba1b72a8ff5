"""Which kernels compute attention?"""
