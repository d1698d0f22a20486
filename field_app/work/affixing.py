"""Putting up an order that the office issued."""
