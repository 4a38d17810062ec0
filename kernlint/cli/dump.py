"""``kernlint dump``: every stage, printed."""

from __future__ import annotations

import argparse
import json
import os
import sys

from kernlint.cli.settings import Settings
from kernlint.frontends.base import FrontendError
from kernlint.policy.config import ConfigError
from kernlint.project import Projects
from kernlint.registry import Registry
from kernlint.run.engine import Engine, analysis_options, default_frontend
from kernlint.source import SourceError, read
from kernlint.targets import UnknownTarget


def dump(options: argparse.Namespace, registry: Registry) -> int:
    """Print the tree or the facts of each file; 2 when one of them could not be read or parsed."""
    settings = Settings(options, registry)
    engine = Engine(registry, settings.for_path(os.getcwd()), projects=Projects(options.paths))
    code = 0
    for path in options.paths:
        try:
            _dump_file(path, options, settings, engine)
        except (SourceError, FrontendError) as error:
            print(f"kernlint: {path}: {error}", file=sys.stderr)
            code = 2
        except (OSError, ConfigError, UnknownTarget):
            raise  # of the output or the settings, not of the file
        except Exception as error:
            print(f"kernlint: {path}: internal failure: {type(error).__name__}: {error}", file=sys.stderr)
            code = 2
    return code


def _dump_file(path: str, options: argparse.Namespace, settings: Settings, engine: Engine) -> None:
    config = settings.for_path(path).config.for_file(path)
    for module in default_frontend().parse_file(read(path), engine.frontend_options(path, config)):
        if options.what == "tree":
            from kernlint.tree.dump import module_text, to_json

            print(json.dumps(to_json(module), indent=1) if options.json else module_text(module))
        else:
            from kernlint.analysis.dump import dump as dump_facts

            print(dump_facts(options.what, module, options.json, analysis_options(config)))
