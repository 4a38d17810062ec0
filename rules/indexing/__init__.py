"""Suspicious index arithmetic."""
