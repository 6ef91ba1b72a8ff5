"""What does a program of others multiply? Watched while it runs, and written as a set of shapes."""
