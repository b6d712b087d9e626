"""Reads of several files, of pages in turn, of files that grow, and of places in texts."""
