"""An inspection being made, as plain data and pure functions: no store, no clock, no randomness of its own."""
