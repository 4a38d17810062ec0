"""A rule pack for the tests: it looks at calls in kernels that :mod:`tests.minimal` reads."""
