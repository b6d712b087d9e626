"""`python -m anyread_conformance`: the command `anyread-conformance`."""

from .options import main

raise SystemExit(main())
