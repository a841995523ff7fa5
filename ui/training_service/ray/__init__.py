"""Past one machine: runs as actors of a Ray cluster, a `trainer` each, on whatever node.

`engine` stands in the server, and `bridge` beside it, a process that alone knows Ray.
"""
