"""Rules about atomic operations; the folder's name is the family of its rules."""
