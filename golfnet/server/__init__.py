"""The lobby server: connections, players, tables and clocks around the pure engine."""
