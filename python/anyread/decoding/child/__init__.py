"""The side of the decoders that runs inside the sandbox.

`zygote` forks workers, `worker` is the loop of jobs inside one, and `images` and `pages` do the decoding.
"""
