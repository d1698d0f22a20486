"""How a call reaches the server: `native` (requests in a thread) and `browser` (the page's own fetch)."""
