"""What was measured before on this hardware? Read it, compare with it, write it atomically."""
