"""Where the work of a read runs: on the event loop while nothing can block, else in a thread."""
