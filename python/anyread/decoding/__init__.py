"""Decoder processes, so that no hostile image or PDF is decoded in the memory of the host.

`host` runs in this process: it manages the decoders and sends them requests.
`child` runs inside the sandbox and is the only package that imports Pillow and pdfium.
`protocol` is used by both.
"""
