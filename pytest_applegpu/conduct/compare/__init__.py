"""Two settings of one build held against each other: what does a switch buy?"""
