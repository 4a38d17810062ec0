"""Front ends: source text to the kernel tree."""
