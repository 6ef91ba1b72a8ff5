"""How fast is it, is the measurement sound, has it changed? Pure functions over samples."""
