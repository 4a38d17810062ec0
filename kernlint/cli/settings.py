"""Which configuration goes with which file, under what the command line says."""

from __future__ import annotations

import argparse
import os

from kernlint.cli.deferred import real
from kernlint.cli.options import UsageError, overlay
from kernlint.policy import config as configuration
from kernlint.policy.config import Config
from kernlint.policy.configfile import find_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from kernlint.policy.selection import Selection
    from kernlint.registry import Registry


class Settings:
    """Looks up the nearest configuration above each file once per folder.

    Raises :class:`~kernlint.policy.config.ConfigError`, :class:`~kernlint.targets.UnknownTarget` and
    :class:`~kernlint.cli.options.UsageError` for what is wrong in it, when a folder is first looked at.
    """

    def __init__(self, options: argparse.Namespace, registry: Registry) -> None:
        self._options = options
        self._registry = registry
        self._by_path: dict[str, Config] = {}
        self._by_folder: dict[str, Config] = {}
        self._files: dict[str, str | None] = {}
        self._by_file: dict[str | None, Config] = {}
        self._selections: dict[str | None, Selection] = {}
        self._fixed: Config | None = None
        if options.config and options.no_config:
            raise UsageError("--config and --no-config contradict each other")
        if options.no_config:
            self._fixed = self._config(None)
        elif options.config:
            self._fixed = self._config(options.config)

    def config_for(self, path: str, is_file: bool = False) -> Config:
        """The settings for a file or folder, not yet checked against the rules; ``is_file``: it is known as a file."""
        if self._fixed is not None:
            return self._fixed
        found = self._by_path.get(path)
        if found is None:
            folder = path if not is_file and os.path.isdir(path) else os.path.dirname(path)
            found = self._by_folder.get(folder)
            if found is None:
                file = find_file(folder, self._files)
                found = self._by_folder[folder] = self._by_file.get(file) or self._config(file)
            self._by_path[path] = found
        return found

    def for_path(self, path: str) -> Selection:
        """The rules and settings for a file or folder."""
        config = self.config_for(path)
        file = config.path or None
        selection = self._selections.get(file)
        if selection is None:
            from kernlint.policy.selection import Selection
            from kernlint.run.engine import check_assumptions, check_targets

            check_targets(config)
            check_assumptions(config)
            selection = self._selections[file] = Selection(real(self._registry), config)
        return selection

    def _config(self, file: str | None) -> Config:
        config = overlay(configuration.load(file) if file else Config(), self._options)
        configuration.check_paths(config)
        self._by_file[file] = config
        return config
