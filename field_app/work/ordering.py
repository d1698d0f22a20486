"""Writing a stop-work order under a leased number."""
