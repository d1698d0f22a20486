"""Papers: the placard, the registered order, the inspection report, and the words and dates on them.

Everything here turns records into something a person reads. Nothing here decides anything: dates come
in already derived by `sync.ordinance`, and a paper is the same bytes each time it is made from the same
record.
"""
