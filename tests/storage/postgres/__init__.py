"""What PostgreSQL alone can do to a store: connections, the fence, migrations."""
