"""Builds what a tablet runs: the web app, and the staged folders for the native apps.

Nothing in here is part of the app itself: no staged folder contains this package. Every change to a file that
Flet ships stands in `patches.py`, so that an upgrade breaks loudly and in one place.
"""
