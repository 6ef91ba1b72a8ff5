"""Which is the smallest case that fails alike?"""
