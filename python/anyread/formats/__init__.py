"""What becomes of an opened file, by its kind."""
