"""Text by itself: patterns, words that are meant, cells of notebooks, comments of Python, files that are replaced at
once."""
