"""Which files a directory has, and which of them rules leave out."""
