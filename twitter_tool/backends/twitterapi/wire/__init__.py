"""From the upstream's JSON to records: every envelope and every spelling, read tolerantly.

A value of a wrong type is an absent value; it is never coerced and never an error. Ids are read from strings only,
since a JSON number may have lost digits. Shapes were observed live unless a docstring says otherwise.
"""
