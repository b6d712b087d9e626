"""Decoder processes: no hostile image or PDF is decoded in the memory of the host.

`host` runs in this process: the pool of decoders, and the questions that a read asks them.
`child` runs inside the sandbox, and is the only place that imports Pillow and pdfium.
`protocol` is what both sides speak.
"""
