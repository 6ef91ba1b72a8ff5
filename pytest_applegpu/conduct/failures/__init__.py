"""What is done once a case failed: read, blamed, cut down, and bundled."""
