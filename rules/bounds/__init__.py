"""Accesses outside what an array or buffer holds."""
