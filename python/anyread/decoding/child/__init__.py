"""The code that runs inside a decoder.

`fork_server` forks decoders, `worker` is the job loop of a decoder, and `images` and `pages` decode.
"""
