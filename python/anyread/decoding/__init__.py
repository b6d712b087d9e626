"""Processes that decode pictures and PDFs, so that no hostile file meets the host's own memory.

`pool` has the processes of the host, which `sources` starts: on Linux a `zygote` that forks them.
`worker` is the loop inside of one, which calls `pictures` and `pages`; only these know Pillow and
pdfium, and only in there they are imported.
`protocol` is what both ends speak; `lease` is one decoder at work on one file; `driving` waits for it,
in an event loop or in a thread.
"""
