"""``python -m kernlint``."""

from kernlint.cli.entry import entry

if __name__ == "__main__":
    entry()
