"""`python -m tradewind` is the program `tradewind`."""

import sys

from tradewind.cli import main

if __name__ == "__main__":
    sys.exit(main())
