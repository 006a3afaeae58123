"""Connection: the line to a server, found nearby, far away or started for oneself. It knows trio and no screen."""
