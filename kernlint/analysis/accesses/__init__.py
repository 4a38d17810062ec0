"""Pairs of accesses between the same barriers, and what each thread touches."""
