"""The server: connections, players, tables and clocks around the pure engine, on trio."""
