"""Changes to the source that rules propose, put together from the tree: statements found, moved, guarded, split."""
