"""The Python front end: functions that numba compiles for a GPU, lowered from Python's own tree."""
