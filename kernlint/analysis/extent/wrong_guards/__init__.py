"""Kinds of guards that let more through than the array holds, each with what supports the extent."""
