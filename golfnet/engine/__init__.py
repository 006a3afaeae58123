"""The rules engine: pure, standard library only, shared by server, bots, client, verifier and tests."""
