"""What the city does with what it is told: each public function is one act and one transaction.

Called alike by api (tablets), console (office) and cli. Nothing here knows HTTP; everything takes a ``City`` first
and raises ``Problem`` with a stable code. An adverse act is done by a named person with the power, or not at all.
"""
