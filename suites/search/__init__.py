"""What did nobody think of?"""
