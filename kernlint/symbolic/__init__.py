"""Symbolic machine values: terms over launch quantities, parameters and loop counters."""
