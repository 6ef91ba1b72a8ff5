"""How one case is conducted from its text to its record. Order only: other rooms compute."""
