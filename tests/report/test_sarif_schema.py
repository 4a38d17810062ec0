"""SARIF against the OASIS schema, on real output of the whole tool."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCHEMA = os.environ.get("SARIF_SCHEMA", "")

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.mark.skipif(not os.path.isfile(SCHEMA), reason="set SARIF_SCHEMA to the OASIS schema of SARIF 2.1.0")
def test_real_output_passes_the_oasis_schema(tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    broken = tmp_path / "broken.cu"
    broken.write_bytes(b"\x00binary")
    out = tmp_path / "out.sarif"
    paths = [str(FIXTURES / "showcase"), str(broken)]
    command = [sys.executable, "-m", "kernlint", "check", "--pedantic", "--format", f"sarif={out}", *paths]
    subprocess.run(command, check=False, capture_output=True)
    log = json.loads(out.read_text(encoding="utf-8"))
    assert log["runs"][0]["results"], "the showcase has findings"
    with open(SCHEMA, encoding="utf-8-sig") as handle:
        schema = json.load(handle)
    jsonschema.validators.validator_for(schema)(schema).validate(log)
