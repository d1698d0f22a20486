"""The tablet's half of the sync protocol: engine (pure), outbox port, transports, the loop that joins them.

`engine` decides and never does; `driver` does and never decides. Only `transports` and `driver` touch the world.
"""
