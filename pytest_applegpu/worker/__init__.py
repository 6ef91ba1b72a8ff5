"""How one case is run, isolated, under its setting. The only room whose child imports mlx."""
