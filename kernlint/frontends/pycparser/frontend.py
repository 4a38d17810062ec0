"""The front end itself: OpenCL files to modules."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from kernlint.frontends.base import FrontendError, FrontendOptions
from kernlint.source import SourceFile
from kernlint.tree.nodes import Module

if TYPE_CHECKING:
    from kernlint.frontends.pycparser.preprocess import Preprocessed

SUFFIXES = (".cl", ".clh", ".ocl", ".opencl")
"""Names of files that are OpenCL C."""

_DEFINE = re.compile(r"^#define[ \t]+([A-Za-z_]\w*)[ \t]+(?!KL_)(\S.*)$", re.M)
_VERSION = ("__OPENCL_VERSION__=300", "__OPENCL_C_VERSION__=300", "__ENDIAN_LITTLE__=1", "__IMAGE_SUPPORT__=1")
_EXTENSIONS = ("cl_khr_fp64=1", "cl_khr_fp16=1", "cl_khr_byte_addressable_store=1", "cl_khr_icd=1")
_VERSIONS = tuple(f"CL_VERSION_{name}={number}" for name, number in (("1_0", 100), ("1_1", 110), ("1_2", 120)))
_LATER = ("CL_VERSION_2_0=200", "CL_VERSION_3_0=300")
_ORDERS = {
    **{f"memory_order_{name}": n for name, n in (("relaxed", 0), ("acquire", 2), ("release", 3), ("acq_rel", 4))},
    "memory_order_seq_cst": 5,
    **{f"memory_scope_{name}": n for name, n in (("work_item", 0), ("work_group", 1), ("device", 2))},
    "memory_scope_all_svm_devices": 3,
    "memory_scope_all_devices": 3,
    "memory_scope_sub_group": 4,
}
"""Enumerators that OpenCL C declares (3.0, 6.15.12)."""


def built_in_macros() -> list[str]:
    """Macros of OpenCL C, from the prelude that the clang front end uses too."""
    path = os.path.join(os.path.dirname(__file__), os.pardir, "clang", "preludes", "opencl.h")
    with open(path, encoding="utf-8") as handle:
        found = [f"{name}={value}" for name, value in _DEFINE.findall(handle.read())]
    orders = [f"{name}={value}" for name, value in _ORDERS.items()]
    return [*_VERSION, *_EXTENSIONS, *_VERSIONS, *_LATER, *found, *orders]


MAX_BUILDS = 2
"""Builds that are tried for names that the default does not know."""


def _lacks(module: Module) -> tuple[int, int, int]:
    return module.errors, len(module.missed), len(module.synthesised)


class PycparserFrontend:
    """Implements :class:`kernlint.frontends.base.Frontend` for OpenCL files alone."""

    CANNOT = "this front end reads OpenCL C files; CUDA, HIP and programs in strings need libclang"
    """What is said of other files."""

    def parse_file(self, source: SourceFile, options: FrontendOptions) -> list[Module]:
        """The module of an OpenCL file.

        Raises :class:`FrontendError` for a file of another language, and where pycparser or pcpp is not installed.
        """
        suffix = os.path.splitext(source.path)[1].lower()
        if options.language not in (None, "opencl") or (options.language is None and suffix not in SUFFIXES):
            raise FrontendError(self.CANNOT)
        try:
            from kernlint.frontends.pycparser.module import Module as Builder
            from kernlint.frontends.pycparser.preprocess import preprocess
            from kernlint.frontends.pycparser.settings import Build, builds_that_name
        except ImportError as error:
            raise FrontendError(f"{error.name} is not installed: pip install 'kernlint[pycparser]'") from None
        forced = b"".join(b'#include "%s"\n' % os.fsencode(path) for path in options.forced)
        if forced:
            raise FrontendError("headers that are forced in front of a source are not read by this front end")
        macros = [*built_in_macros(), *options.defines]

        def read(build: Build) -> tuple[Module, Preprocessed]:
            defines, undefines = [*macros, *build.defines], [*options.undefines, *build.undefines]
            found = preprocess(source.path, source.data, defines, undefines, options.include_dirs)
            module = Builder(source.path, source.data, found).build()
            if build.words:
                object.__setattr__(module, "setting", build.words)
            return module, found

        best, found = read(Build((), (), ""))
        if best.synthesised:
            # A build under which names are known that are not by default takes the default's place.
            for build in builds_that_name(source.path, source.data, macros, found, best.synthesised)[:MAX_BUILDS]:
                module, _ = read(build)
                if _lacks(module) < _lacks(best):
                    best = module
        return [best]

    def headers(self, source: SourceFile, options: FrontendOptions) -> tuple[str, ...]:
        """Paths that decide which headers the source reads."""
        from kernlint.frontends.clang.includes import scan_includes

        probed: dict[str, None] = {}
        scan_includes(source.path, source.data, options.include_dirs, probed=lambda path: probed.setdefault(path))
        return tuple(probed)
