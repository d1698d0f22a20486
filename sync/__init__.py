"""What tablet and server share (the law, the records, the papers), the protocol, and the server."""
