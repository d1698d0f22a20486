"""What tablet and server exchange: facts, receipts, order numbers and what comes down, with their exact bytes.

Pure: standard library only, no I/O, no clock, no randomness. Keys, times and ids are passed in.
"""
