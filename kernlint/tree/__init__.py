"""The kernel tree: nodes, types, walking and printing."""
