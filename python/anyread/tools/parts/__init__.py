"""What several contracts share."""
