"""What callers pass: arguments, limits, settings, paths and places."""
