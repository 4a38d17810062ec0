"""What the tests share: a sample rule pack, a front end of a few lines, and ways to run over them."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from kernlint import registry
from kernlint.cli import main
from kernlint.policy.config import Config
from kernlint.policy.selection import Selection
from kernlint.registry import Registry
from kernlint.result import Report
from kernlint.run import engine
from tests.minimal import MinimalFrontend

sys.path.append(str(Path(__file__).parent / "packs"))


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test reads or writes the cache of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERNLINT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def sample() -> Registry:
    """The rules of the sample pack."""
    return registry.collect([importlib.import_module("samplepack")])


@pytest.fixture
def check(sample: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Report]:
    """``check({"a.cu": text}, config, paths=...)``: the report on files written to a fresh folder."""
    monkeypatch.chdir(tmp_path)

    def run(files: dict[str, str | bytes], config: Config | None = None, paths: Sequence[str] | None = None) -> Report:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        selection = Selection(sample, config or Config())
        return engine.Engine(sample, selection, MinimalFrontend()).run(paths or list(files), str(tmp_path))

    return run


@pytest.fixture
def kernlint(
    sample: Registry,
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, str, str]]:
    """``kernlint("check", "a.cu")`` in a fresh folder over the sample pack: exit code, output, errors."""
    frontend = MinimalFrontend()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(registry, "load", lambda: sample)
    monkeypatch.setattr(engine, "default_frontend", lambda: frontend)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("KERNLINT_CACHE_DIR", str(tmp_path_factory.mktemp("own-cache")))
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def run(*args: str) -> tuple[int, str, str]:
        code = main(list(args))
        out, err = capfd.readouterr()
        return code, out, err

    return run
