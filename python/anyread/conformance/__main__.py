"""`python -m anyread.conformance`: check any reader of files."""

from .options import main

raise SystemExit(main())
