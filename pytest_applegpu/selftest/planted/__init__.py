"""A folder for PYTHONPATH: what lies in it plants a fault in a worker as Python starts."""
