"""What several contracts of tools share."""
