"""Where everything is kept: tables and their logs, players, finished matches, ratings."""
