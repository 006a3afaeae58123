"""What only PostgreSQL can do to a store: connections, the fence, migrations."""
