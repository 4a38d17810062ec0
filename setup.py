"""Package discovery: ``kernlint`` as it stands, and the rule pack of ``rules/`` under its import name.

Everything else about the build is in ``pyproject.toml``; this file exists because a family added under
``rules/`` must be packaged without a list of families being kept anywhere.
"""

from setuptools import find_packages, setup

setup(
    package_dir={"kernlint_rules": "rules"},
    packages=[
        *find_packages(include=["kernlint", "kernlint.*"]),
        "kernlint_rules",
        *(f"kernlint_rules.{name}" for name in find_packages("rules")),
    ],
)
