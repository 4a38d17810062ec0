"""The search for two threads that meet in one cell: pairs of accesses, numbers tried, inputs that data choose."""
