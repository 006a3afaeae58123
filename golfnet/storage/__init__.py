"""Persistent storage: tables and their logs, players, finished matches, ratings."""
