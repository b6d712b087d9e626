"""The host's side of the decoders.

`pool` manages the decoder processes, which `sources` starts: on Linux, with a zygote that forks them.
`lease` is the use of one decoder for one file; `fitting` and `document` send the requests.
All code is written as steps (`anyread.running.effects`), so one pool serves all event loops and threads.
"""
