"""`python -m anyread`: the command line."""

import sys

from anyread.cli import main

if __name__ == "__main__":
    sys.exit(main())
