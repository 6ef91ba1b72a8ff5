"""Which cases has every run, whatever else the budget holds? The known hard spots, by operation."""
