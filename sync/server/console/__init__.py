"""The office in a browser, and the public page behind the QR code: plain HTML that works without JavaScript.

Reads and acts only through `sync.server.casework`: no SQL here, no rule of law, no decision. Cookies exist only
under /office/; what changes anything is a POST that provably comes from these pages.
"""
