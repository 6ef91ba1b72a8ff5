"""The folder that `applegpu record` puts in PYTHONPATH; no code of the product imports it."""
