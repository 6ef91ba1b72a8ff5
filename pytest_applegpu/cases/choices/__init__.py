"""Which choices is a case of an operation made of, and which of them exclude each other?"""
