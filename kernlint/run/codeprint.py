"""A digest of everything but the source that results depend on: kernlint's own code, rule packs, libclang, Python.

Names, sizes and times of the files say whether a digest of their bytes, kept in the cache folder, still holds: so a
fresh installation of the same code (on a build server, say) goes on using old results, and an edited rule does not.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import kernlint
from kernlint import __version__, packs
from kernlint.text.digest import blake2b, hexdigest
from kernlint.text.writing import replace_file

_DIGITS = 32


def digest(folder: str) -> str:
    """The digest; ``folder`` is where the cache keeps digests of code it has seen."""
    roots = [("kernlint", os.path.dirname(os.path.abspath(kernlint.__file__)))]
    for name, package in packs.installed():
        roots += [(f"{name}:{package}", place) for place in _folders(package)]
    files = [(name, path, os.stat(path)) for root, place in roots for name, path in _files(root, place)]
    others = _surroundings()
    state = repr([(path, status.st_size, status.st_mtime_ns) for _, path, status in files])
    known = os.path.join(folder, f"code-{hexdigest(f'{others}{state}'.encode())}")
    try:
        with open(known, "rb") as handle:
            kept = handle.read(_DIGITS + 1)
        if len(kept) == _DIGITS and kept.isalnum():
            return kept.decode()
    except (OSError, UnicodeDecodeError):
        pass
    whole = blake2b(others.encode(), digest_size=_DIGITS // 2)
    for name, path, _ in files:
        with open(path, "rb") as handle:
            data = handle.read()
        whole.update(f"{name}\0{len(data)}\0".encode("utf-8", "surrogateescape"))
        whole.update(data)
    made = whole.hexdigest()
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        replace_file(known, made.encode())
    except OSError:  # the results will not be kept either, and that is said once
        pass
    return made


def _folders(package: str) -> list[str]:
    """Where the modules of ``package`` lie; nothing of it is imported but the packages above it."""
    from importlib.util import find_spec

    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        return []
    return list(spec.submodule_search_locations or [spec.origin or ""])


def _files(root: str, place: str) -> Iterator[tuple[str, str]]:
    """(name below ``root``, path) of every file of code or data under ``place``, in order."""
    if os.path.isfile(place):
        yield root, place
        return
    try:
        entries = sorted(os.scandir(place), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir():
            if entry.name != "__pycache__" and not entry.name.startswith("."):
                yield from _files(f"{root}/{entry.name}", entry.path)
        elif entry.is_file() and not entry.name.endswith((".pyc", ".tmp")):
            yield f"{root}/{entry.name}", entry.path


def _surroundings() -> str:
    """Version of kernlint and Python, size of the libclang library, and whether the solver is there."""
    library = [os.environ["KERNLINT_LIBCLANG"]] if os.environ.get("KERNLINT_LIBCLANG") else []
    for folder in [] if library else _folders("clang"):
        native = os.path.join(folder, "native")
        if os.path.isdir(native):
            library += [os.path.join(native, name) for name in sorted(os.listdir(native))]
    sizes = [(os.path.basename(path), os.path.getsize(path)) for path in library if os.path.isfile(path)]
    return repr((__version__, sys.implementation.cache_tag, sys.platform, sizes, bool(_folders("z3"))))
