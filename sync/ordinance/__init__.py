"""The law as pure functions over a pack: no files, no clock, no randomness, standard library only.

A *pack* (``load_pack``) is one city's ordinance as dated, cited data. Every clause, limit, day count and
checklist item comes from the pack; this room knows only how such rules are counted and combined.
"""
