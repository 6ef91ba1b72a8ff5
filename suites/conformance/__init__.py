"""Is the result right?"""
