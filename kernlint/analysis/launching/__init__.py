"""Launches in sight, what they bind and admit, and which threads of a block agree about a value."""
