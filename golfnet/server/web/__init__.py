"""A page for phones: a few files over HTTP, and machine-mode lines over a WebSocket.

The page is a client like any other, and nothing outside this package knows about HTTP. The modules in ``page`` are
joined into one script when they are read, so nothing has to be built. The ``websockets`` library is imported only when
the port is opened.
"""
