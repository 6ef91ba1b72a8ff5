"""Which kernels multiply chosen, segmented or masked parts of dense matrices?"""
