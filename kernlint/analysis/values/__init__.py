"""Values of indices by themselves: widths that are too small, addresses that are not aligned."""
