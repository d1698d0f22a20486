"""The tablets' interface: HTTP and JSON in, one act of casework, HTTP and JSON out. No rule is decided here.

Bearer tokens only: a request that carries a cookie is refused, so that nothing a browser attaches by itself counts.
"""
