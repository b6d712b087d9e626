"""The code that runs inside a decoder.

`zygote` forks decoders, `worker` is the job loop of a decoder, and `images` and `pages` decode.
"""
