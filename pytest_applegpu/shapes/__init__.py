"""Which problems does a model multiply, and how often? Sets of them: shipped, written, recorded."""
