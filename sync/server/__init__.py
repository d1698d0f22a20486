"""The city's central server: takes what tablets send, keeps it for good, and lets the office act on it.

``casework`` holds every act as one function that is one transaction; ``api`` (tablets), ``console`` (office)
and ``cli`` (the machine's keeper) only parse, call it and render.
"""
