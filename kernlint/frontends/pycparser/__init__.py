"""A front end for OpenCL C that needs nothing native: pcpp preprocesses, pycparser parses.

It reads OpenCL C 1.x and what later versions have in common with it, into the same tree as the clang front end.
"""

from __future__ import annotations

from kernlint.frontends.pycparser.frontend import PycparserFrontend

__all__ = ["PycparserFrontend"]
