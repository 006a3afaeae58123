"""Several real nodes on a real PostgreSQL, and the failures they must survive.

Invariants: processes, sockets and databases are all real; judges know only what the programs were told and what the
database contains.
"""
