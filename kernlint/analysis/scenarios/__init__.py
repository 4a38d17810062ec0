"""Launches with numbers: which are believed of a kernel, which are tried, and what speaks for each.

Most kernels are right only under some launches, so whatever is said of one needs a launch.  Every analysis takes it
from here: :data:`~kernlint.analysis.scenarios.policy.scenarios` gives those that are believed, the tables in
:mod:`~kernlint.analysis.scenarios.tables` are all the sizes that are ever made up, and
:mod:`~kernlint.analysis.scenarios.numbers` the values of arguments that nobody states.
"""
