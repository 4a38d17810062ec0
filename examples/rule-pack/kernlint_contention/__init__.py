"""Rules about threads that wait for each other at one word of memory."""
