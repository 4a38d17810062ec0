"""Which configuration goes with which file, under what the command line says."""

from __future__ import annotations

import argparse
import os

from kernlint import config as configuration
from kernlint.cli.options import UsageError, overlay
from kernlint.config import Config
from kernlint.engine import check_assumptions, check_targets
from kernlint.registry import Registry
from kernlint.selection import Selection


class Settings:
    """Looks up the nearest configuration above each file once per folder.

    Raises :class:`~kernlint.config.ConfigError`, :class:`~kernlint.targets.UnknownTarget` and
    :class:`~kernlint.cli.options.UsageError` for what is wrong in it, when a folder is first looked at.
    """

    def __init__(self, options: argparse.Namespace, registry: Registry) -> None:
        self._options = options
        self._registry = registry
        self._by_folder: dict[str, Selection] = {}
        self._by_file: dict[str | None, Selection] = {}
        self._fixed: Selection | None = None
        if options.config and options.no_config:
            raise UsageError("--config and --no-config contradict each other")
        if options.no_config:
            self._fixed = self._selection(None)
        elif options.config:
            self._fixed = self._selection(options.config)

    def for_path(self, path: str) -> Selection:
        """The rules and settings for a file or folder."""
        if self._fixed is not None:
            return self._fixed
        folder = os.path.abspath(path if os.path.isdir(path) else os.path.dirname(path) or ".")
        found = self._by_folder.get(folder)
        if found is None:
            file = configuration.find_file(folder)
            found = self._by_folder[folder] = self._by_file.get(file) or self._selection(file)
        return found

    def _selection(self, file: str | None) -> Selection:
        config = overlay(configuration.load(file) if file else Config(), self._options)
        check_targets(config)
        check_assumptions(config)
        selection = self._by_file[file] = Selection(self._registry, config)
        return selection
