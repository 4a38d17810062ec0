"""What the preprocessor's conditions leave out, and the settings that switch it on."""

Ranges = tuple[tuple[int, int], ...]
"""Byte ranges of a text, from start to end."""
