"""How is it said? Terminal, JSON lines and failure texts, each from the same records."""
