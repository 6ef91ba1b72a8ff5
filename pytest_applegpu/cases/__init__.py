"""Which problems are worth running: corners, both sides of every tile, layouts, fills."""
