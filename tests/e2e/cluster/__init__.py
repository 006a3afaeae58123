"""Several real nodes on a real PostgreSQL, and the failures they must survive."""
