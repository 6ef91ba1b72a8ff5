"""Do faults that public releases had show again?"""
