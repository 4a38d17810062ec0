"""What a front end is: source text in, kernel trees out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from kernlint.record import dataclass
from kernlint.source import SourceFile
from kernlint.tree.nodes import Module


class FrontendError(Exception):
    """A file could not be turned into a tree at all; the message is one clear line without the path.

    Mistakes in the source are no reason: what cannot be understood becomes an opaque node and a loss.
    """


class Served(Protocol):
    """A header that stands in the project: its absolute ``path``, and its ``text`` where no file has it (the build
    makes it of a template)."""

    @property
    def path(self) -> str: ...

    @property
    def text(self) -> bytes | None: ...


class Defined(Protocol):
    """What stands before a program in the project: the whole of ``file``, or the lines ``text`` out of it."""

    @property
    def file(self) -> str: ...

    @property
    def text(self) -> str: ...


class Filled(Protocol):
    """What a build puts into a template: values by name, as far as they are known; ``only``: for ``@NAME@`` alone."""

    @property
    def values(self) -> tuple[tuple[str, str], ...]: ...

    @property
    def only(self) -> bool: ...


class Surroundings(Protocol):
    """What lies around a file and may be asked for while it is read."""

    def header(self, name: str, includer: str) -> Served | None:
        """The header that ``#include`` of ``name`` in the file ``includer`` means where no include folder has it."""
        ...

    def dialect(self, path: str) -> str | None:
        """The language of the kernels that stand under macros of the project in a file; None when there are none."""
        ...

    def choices_for(self, path: str) -> tuple[str, ...]:
        """Macros, ``NAME`` or ``NAME=VALUE``, that the build defines for a file under conditions that nobody decides
        here."""
        ...

    def numbers_for(self, path: str) -> tuple[str, ...]:
        """Macros that host code defines for a program as numbers which it works out when it runs."""
        ...

    def texts_for(self, path: str) -> tuple[str, ...]:
        """Macros, ``NAME=VALUE``, that host code defines for programs as words, with one that each may be."""
        ...

    def files_including(self, header: str) -> tuple[str, ...]:
        """Real paths of the files that include the file ``header`` directly."""
        ...

    def files_launching(self, kernel: str) -> tuple[str, ...]:
        """Real paths of files that launch a kernel of this name."""
        ...

    def files_importing(self, path: str, name: str) -> tuple[str, ...]:
        """Real paths of Python files that import from the one at ``path``, themselves or through another, and in whose
        text ``name`` stands as a word."""
        ...

    def files_loading(self, path: str) -> tuple[str, ...]:
        """Real paths of Python files that may read the source at ``path`` and hand it to a compiler."""
        ...

    def made_of(self, path: str) -> Sequence[Filled]:
        """With what values the build fills in the template at ``path``, once for each file that it makes of it."""
        ...

    def files_instantiating(self, template: str) -> tuple[str, ...]:
        """Real paths of files that explicitly instantiate a template of this name."""
        ...

    def analysed(self, path: str) -> bool:
        """Whether the file at ``path`` is analysed in the same run."""
        ...

    def definitions(self, path: str, language: str, names: Iterable[str]) -> Sequence[Defined]:
        """What the host code puts before the program at ``path``, as far as it gives ``names`` a meaning."""
        ...


@dataclass(frozen=True, slots=True)
class FrontendOptions:
    """What the build would have told the compiler, as far as all front ends understand it.

    ``language`` overrides the guess from the file's name (``cuda``, ``hip``, ``opencl``).  ``defines`` are ``NAME`` or
    ``NAME=VALUE``; ``include_dirs`` are searched in order; ``forced`` files are included before the source.  ``std``
    is the argument of ``-std=``; ``target`` a GPU architecture.  ``instances``: force instances of kernel templates
    that nothing in the file instantiates.  ``device``: what kernels and device functions do is wanted, not only that
    they are there for host code to launch.  ``cache``: precompiled headers may be kept in the user's cache folder.
    ``around``: where headers are found that no include folder has; None: nowhere.  ``frontend``: ``clang``,
    ``pycparser``, or ``auto`` for the first that can be loaded.
    """

    language: str | None = None
    defines: tuple[str, ...] = ()
    undefines: tuple[str, ...] = ()
    include_dirs: tuple[str, ...] = ()
    forced: tuple[str, ...] = ()
    std: str | None = None
    target: str | None = None
    extra: tuple[str, ...] = ()
    instances: bool = True
    device: bool = True
    cache: bool = True
    around: Surroundings | None = None
    frontend: str = "auto"


class Frontend(Protocol):
    """Turns one file into modules, one per dialect found in it (a host file may hold OpenCL kernels in strings)."""

    def parse_file(self, source: SourceFile, options: FrontendOptions) -> list[Module]:
        """The modules of ``source``, host file first.

        Raises :class:`FrontendError` when there is nothing to hand back.
        """
        ...

    def headers(self, source: SourceFile, options: FrontendOptions) -> tuple[str, ...]:
        """Paths that decide which headers the source reads: where one is, and where it is looked for in vain."""
        ...
