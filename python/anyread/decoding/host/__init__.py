"""The host's side of the decoders.

`pool` manages the decoder processes, which `starters` starts: on Linux, with a fork server that forks them.
`decoder` is the use of one decoder for one file; `fitting` and `pdf` send the requests.
Calls that use a decoder run in threads of their own (`anyread.running.calls`); one pool serves them all.
"""
