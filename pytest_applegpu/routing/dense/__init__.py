"""Which kernels multiply two dense matrices or stacks of them?"""
