"""One model of what host code does with devices: allocations, copies, argument settings, launches, waits.

It is made of the walks of host functions (:mod:`kernlint.analysis.launching.host_walks`), in which calls of the
runtimes' functions are noted with the values that they are given.  What cannot be followed is unknown, and nobody makes
anything of it.
"""
