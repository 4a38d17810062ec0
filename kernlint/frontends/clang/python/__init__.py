"""Python programs that make kernels from snippets and launch them; loaded only for files that do."""
