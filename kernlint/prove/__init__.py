"""Questions about pairs of accesses and about bounds, and the procedures that answer them."""
