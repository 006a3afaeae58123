"""What each HTTP request is answered with: a file of the page, the way to the WebSocket, or a refusal.

What stays true: a page of another site gets nothing. ``Host`` must be an address or a name of this machine, so that a
name rebound to it gets no answer (DNS rebinding); a WebSocket's ``Origin`` must be the page's own. Nothing of a request
is written into an answer but a ``Host`` that was checked.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

LINES: Final = "/lines"
"""The path of the WebSocket."""

_FILES: Final = {
    "/": ("golf.html", "text/html"),
    "/golf.js": ("golf.js", "text/javascript"),
    "/golf.css": ("golf.css", "text/css"),
}
_HOST: Final = re.compile(r"(?P<name>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(?::[0-9]{1,5})?")


def read_page() -> dict[str, tuple[bytes, str]]:
    """Return the files of the page and their media types, by path."""
    page = files(__package__).joinpath("page")
    return {path: (page.joinpath(name).read_bytes(), kind) for path, (name, kind) in _FILES.items()}


def own_names(configured: Collection[str]) -> frozenset[str]:
    """Return the names under which the page may be asked for, beside every address."""
    machine = socket.gethostname().lower().removesuffix(".local")
    return frozenset({"localhost", machine, f"{machine}.local", *(name.lower() for name in configured)})


def answer(
    request: Request, page: Mapping[str, tuple[bytes, str]], names: Collection[str], *, secure: bool
) -> Response | None:
    """Return the answer to a request, None where it is to become a WebSocket."""
    hosts = request.headers.get_all("Host")
    if len(hosts) != 1 or not _is_own(hosts[0], names):
        return _refusal(HTTPStatus.MISDIRECTED_REQUEST, "This server is not known by that name.")
    if request.method != "GET":
        return _refusal(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET is known here.")
    if request.path == LINES:
        origins = request.headers.get_all("Origin")
        if origins != [f"{'https' if secure else 'http'}://{hosts[0]}"]:
            return _refusal(HTTPStatus.FORBIDDEN, "Open the page of this server itself.")
        return None
    if request.path not in page:
        return _refusal(HTTPStatus.NOT_FOUND, "There is no such page. The game is at /.")
    body, kind = page[request.path]
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; "
        f"connect-src 'self' {'wss' if secure else 'ws'}://{hosts[0]}; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return _response(HTTPStatus.OK, kind, body, {"Content-Security-Policy": policy})


def _is_own(host: str, names: Collection[str]) -> bool:
    """Tell whether a ``Host`` is an address, which no name server can rebind, or a name of this machine."""
    found = _HOST.fullmatch(host)
    if found is None:
        return False
    name = found["name"].lower()
    if name in names:
        return True
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def _refusal(status: HTTPStatus, sentence: str) -> Response:
    return _response(status, "text/plain", f"{sentence}\n".encode(), {})


def _response(status: HTTPStatus, kind: str, body: bytes, more: Mapping[str, str]) -> Response:
    headers = Headers(
        {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
            "Connection": "close",
            "Cache-Control": "no-cache",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            **more,
        }
    )
    return Response(status.value, status.phrase, headers, body)
