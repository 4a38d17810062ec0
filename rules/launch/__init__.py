"""Launches and host code."""
