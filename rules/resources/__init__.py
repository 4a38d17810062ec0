"""Memory that a kernel claims for itself."""
