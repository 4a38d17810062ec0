"""A run: files are chosen, read, asked about by every rule, kept for the next run, mended and shared among
processes."""
