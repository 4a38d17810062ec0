"""What memory holds when it is read: cells that nobody has written."""
