"""Reading several files, page after page, growing files, and the places that a text names."""
