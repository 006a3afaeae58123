"""A page for phones: a few files over HTTP, and machine-mode lines over a WebSocket.

One more way to a session: the page is a client like any other, and nothing outside this room knows of HTTP. The
modules in ``page`` are joined into one script when they are read, and nothing has to be built. The ``websockets``
library parses and frames; it is imported when the port is opened and not before.
"""
