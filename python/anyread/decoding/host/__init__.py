"""The side of the decoders that runs in this process.

`pool` has the decoder processes, which `sources` starts: on Linux a zygote that forks them.
`lease` is one decoder at work on one file, `fitting` and `document` are what it is asked, and `driving`
waits for its answers, in an event loop or in a thread.
"""
