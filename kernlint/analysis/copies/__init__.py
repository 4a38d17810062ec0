"""Copies that go on while a kernel computes, and the waits that end them."""
