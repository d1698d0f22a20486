"""Parts that several screens share. Each is one small component or a function that builds controls."""
