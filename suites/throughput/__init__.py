"""Is it as fast as it was?"""
