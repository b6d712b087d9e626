"""Running the work of reads: on the event loop if nothing can block, otherwise in a thread."""
