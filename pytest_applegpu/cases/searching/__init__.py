"""Cases that nobody planned: drawn at random from all that can be said of an operation."""
