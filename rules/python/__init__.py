"""Faults of Python programs that launch kernels, and of kernels that are written in Python."""
