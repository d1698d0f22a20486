"""Large files and bad links: tus 1.0 (tus.io), so that a cut costs what was under way and not the whole file.

`core` reads what is asked and never touches anything; `partials` keeps the bytes; `transfers` lets one at a time
write to an upload. `sync.server.api.uploads` joins them to HTTP.
"""
