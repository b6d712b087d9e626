"""The side of the decoders that runs in this process.

`pool` has the decoder processes, which `sources` starts: on Linux a zygote that forks them.
`lease` is one decoder at work on one file, `fitting` and `document` are what it is asked.
All of it is written as steps (`anyread.running.effects`), so one pool serves any number of event loops and
threads.
"""
