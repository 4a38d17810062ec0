"""Facts about kernels: each analysis is a value with declared needs, computed once for a kernel."""
