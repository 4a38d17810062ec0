"""What the text of a kernel is that a Python program puts together while it runs: the program is followed."""
