"""The rules, found and loaded when somebody first asks for them: a run in which nothing changed does not."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from kernlint.registry import Registry


class _Deferred:
    """Stands for the registry; the first look at an attribute loads it."""

    def __init__(self) -> None:
        self._real: Registry | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real(), name)

    def real(self) -> Registry:
        """The registry.  Raises :class:`~kernlint.registry.RegistryError`."""
        if self._real is None:
            from kernlint import registry

            self._real = registry.load()
        return self._real


def deferred() -> Registry:
    """What behaves as the registry of all installed packs and is loaded late."""
    made: Any = _Deferred()
    return made  # type: ignore[no-any-return]


def real(registry: Registry) -> Registry:
    """The registry itself, which other processes can be sent."""
    return registry.real() if isinstance(registry, _Deferred) else registry
