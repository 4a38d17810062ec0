"""``python -m kernlint``."""

import sys

from kernlint.cli import main

if __name__ == "__main__":
    sys.exit(main())
