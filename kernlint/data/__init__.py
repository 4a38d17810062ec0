"""Data files that travel with the package."""
