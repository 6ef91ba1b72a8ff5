"""What is the arithmetic of a route like? Small questions, put through plain matrix products.

Each module asks one: it makes operands for which different arithmetics give different results,
and reads which of them the results fit. After M. Fasi, N. J. Higham, M. Mikaitis, S. Pranesh,
Numerical behavior of NVIDIA tensor cores (PeerJ Computer Science 7:e330, 2021; their tests A to D
are named here); X. Li et al., FTTN: feature-targeted testing for numerical properties of NVIDIA &
AMD matrix accelerators (2024); F. A. Khattak, M. Mikaitis, Accurate models of NVIDIA tensor cores
(arXiv:2512.07004, 2025). Made anew for sums whose order and blocking are not known beforehand.
"""
