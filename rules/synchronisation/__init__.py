"""Races, barriers, fences and warp collectives."""
