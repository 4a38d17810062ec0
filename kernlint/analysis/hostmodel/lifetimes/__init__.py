"""What becomes of memory and handles along the ways through host code: see :mod:`.analysis`."""
