"""Rules about calls."""
