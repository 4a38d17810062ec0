"""Threads of one warp: the lanes that arrive, masks that name them, sizes of a wave."""
