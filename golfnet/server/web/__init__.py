"""A page for phones: a few files over HTTP, and machine-mode lines over a WebSocket.

The page is a client like any other, and nothing outside this package knows about HTTP. The style and the modules in
``page`` are put into the page when they are read, so nothing has to be built, and a phone needs one request. The
libraries for WebSockets and QR codes are imported only when the port is opened.
"""
