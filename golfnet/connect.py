"""Connect to a server over TCP or TLS, decide whether to trust it, and reconnect whenever the connection is lost.

Every kind of client uses this. The protocol's ``Conversation`` decides what to send and parses replies; a
``Connection`` moves its bytes, schedules the next attempt, and reports every event, in order, from one task.

A server is trusted if an authority verifies it. If none does, the first server seen at an address is trusted from then
on. Invariants: a server that an authority has verified is never again trusted without verification, and a known key is
replaced only after verification or by the user's decision. A renewed certificate with the same key is the same server.

Python can neither verify a certificate after the handshake nor return one that failed verification. So a
client that knows a key first connects without verification, to compare keys; and a client whose verification
fails connects once more, to see the certificate.
"""

import hashlib
import math
import ssl
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Final

import trio
from msgspec import Struct

from golfnet.protocol.address import Address, key_fingerprint, reason_of
from golfnet.protocol.conversation import Conversation, ConversationEvent

AUTHORITY: Final = "authority"
"""The value stored for a server whose certificate was signed by a trusted authority."""

KEY: Final = "key:"
"""The prefix of the value stored for any other server; the SHA-256 of its public key follows.

Older clients stored the SHA-256 of its certificate, without a prefix.
"""


class Untrusted(OSError):
    """A server that is not the trusted one; ``shown`` is the value to store in order to trust it."""

    def __init__(self, address: Address, known: str, shown: str, reason: str) -> None:
        expected = "verification by an authority" if known == AUTHORITY else f"the key {_short(known)}"
        why = f" ({reason})" if reason else ""
        super().__init__(
            f"{address} is not the same server: expected {expected}, found the key {_short(shown)}{why}"
        )
        self.shown = shown


class Trust:
    """Which server to trust at an address.

    ``known`` is the stored value, empty if there is none; ``keep`` is called to store a new value. If
    ``only`` is given, it is the SHA-256 of the only acceptable key or certificate, and no authority is asked.
    """

    def __init__(
        self, known: str = "", *, only: str = "", keep: Callable[[str], object] = lambda known: None
    ) -> None:
        self.known = only or known
        self.asks_authorities = not only
        """Whether verification by an authority is enough."""
        self._keep = keep

    def recognise(self, address: Address, certificate: bytes) -> None:
        """Raise ``Untrusted`` unless a DER certificate is the known server's, or ``OSError`` if it cannot be read."""
        shown = KEY + key_fingerprint(certificate)
        if self.known.removeprefix(KEY) not in (
            shown.removeprefix(KEY),
            hashlib.sha256(certificate).hexdigest(),
        ):
            raise Untrusted(address, self.known, shown, "")
        if self.asks_authorities:
            self.learn(shown)

    def meet(self, address: Address, reason: str, certificate: bytes) -> None:
        """Trust the first server seen. For any other, raise ``Untrusted``; ``reason`` is why verification failed."""
        shown = KEY + key_fingerprint(certificate)
        if self.known:
            raise Untrusted(address, self.known, shown, reason)
        self.learn(shown)

    def learn(self, known: str) -> None:
        """Trust the server with this value from now on, and store it."""
        if self.known != known:
            self.known = known
            self._keep(known)


def _short(known: str) -> str:
    return known.removeprefix(KEY)[:16]


HANDSHAKE_SECONDS: Final = 8.0


async def open_stream(address: Address, trust: Trust) -> trio.abc.Stream:
    """Connect to a server. Raise ``OSError`` on failure, or its subclass ``Untrusted``."""
    if not address.tls:
        return await trio.open_tcp_stream(address.host, address.port)
    if trust.known not in ("", AUTHORITY):
        with suppress(Untrusted):
            return await _open_unverified(address, partial(trust.recognise, address))
    reason = ""
    if trust.asks_authorities:
        try:
            return await _open_tls(address, ssl.create_default_context(), lambda _: trust.learn(AUTHORITY))
        except ssl.SSLCertVerificationError as problem:
            reason = problem.verify_message.rstrip(".")
    return await _open_unverified(address, partial(trust.meet, address, reason))


async def _open_unverified(address: Address, check: Callable[[bytes], None]) -> trio.abc.Stream:
    """Connect without verification, but with a ``check`` of the certificate, which may raise ``Untrusted``."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return await _open_tls(address, context, check)


async def _open_tls(
    address: Address, context: ssl.SSLContext, check: Callable[[bytes], None]
) -> trio.abc.Stream:
    """Connect, do the handshake and ``check`` the certificate.

    Raise ``OSError`` on failure, or its subclass ``SSLCertVerificationError``.
    """
    plain = await trio.open_tcp_stream(address.host, address.port)
    try:
        stream = trio.SSLStream(plain, context, server_hostname=address.host, https_compatible=True)
        with trio.fail_after(HANDSHAKE_SECONDS):
            await stream.do_handshake()
        check(stream.getpeercert(binary_form=True) or b"")
    except BaseException as problem:
        with trio.CancelScope(shield=True):
            await trio.aclose_forcefully(plain)
        if isinstance(problem, trio.BrokenResourceError | trio.TooSlowError):
            if isinstance(problem.__cause__, ssl.SSLCertVerificationError):
                raise problem.__cause__ from None  # noqa: ASYNC104
            raise OSError("the server does not speak TLS") from None  # noqa: ASYNC104
        raise
    return stream


FIRST_WAIT: Final = 0.5
"""Seconds before the second attempt; each wait after that is twice as long."""

LONGEST_WAIT: Final = 15.0
"""Maximum seconds between attempts: short enough to reconnect while the seat is still reserved."""

CONNECT_SECONDS: Final = 10.0

STEADY_SECONDS: Final = 5.0
"""How long a connection has to last before the waits start afresh. Without this, clients would forever connect twice
a second to a server that accepts connections and closes them at once."""

UNREADABLE: Final = "This program cannot read everything that the server sends. A newer version may."

SILENCE: Final = 20.0
"""Seconds of silence after which the server is pinged; after as many more, the connection counts as lost."""

RATE_SECONDS: Final = 1.2
"""The interval in which at most one second's worth of commands is sent; it is longer than a second because commands may
arrive closer together than they were sent."""

GOODBYE_SECONDS: Final = 2.0
"""How long to wait for the answer to ``quit``."""


class Connecting(Struct, frozen=True):
    """An attempt to connect begins."""


class Disconnected(Struct, frozen=True):
    """A connection was lost or, with a ``reason``, could not be made; the next attempt is in ``retry_in`` seconds."""

    reason: str
    retry_in: float


ConnectionEvent = ConversationEvent | Connecting | Disconnected | Untrusted
"""What a connection reports. After ``Untrusted`` there is no further attempt before ``accept``."""


async def keep_connected(
    connect: Callable[[], Awaitable[trio.abc.Stream]],
    use: Callable[[trio.abc.Stream], Awaitable[bool]],
    refuse: Callable[[Untrusted], Awaitable[None]],
    report: Callable[[Connecting | Disconnected], None],
    is_over: Callable[[], bool],
) -> None:
    """Connect and ``use`` the stream until it is closed or lost, again and again until ``is_over``.

    ``use`` returns whether the player had logged in; otherwise, the connection does not count as a success.
    ``refuse`` handles a server that is not trusted; the next attempt begins as soon as it returns.
    """
    wait = FIRST_WAIT
    while not is_over():
        report(Connecting())
        reason = ""
        try:
            with trio.fail_after(CONNECT_SECONDS):
                stream = await connect()
        except Untrusted as problem:
            await refuse(problem)
            continue
        except (OSError, trio.TooSlowError) as problem:
            reason = reason_of(problem)
        else:
            began = trio.current_time()
            try:
                has_entered = await use(stream)
            finally:
                with trio.CancelScope(shield=True):
                    await trio.aclose_forcefully(stream)
            if has_entered and trio.current_time() - began >= STEADY_SECONDS:
                wait = FIRST_WAIT
        if not is_over():
            report(Disconnected(reason, wait))
            await trio.sleep(wait)
            wait = min(wait * 2, LONGEST_WAIT)


class Connection:
    """One player's connection to one server, reconnected as often as needed.

    ``connect`` opens a stream or raises ``OSError``; ``report`` handles events, and must not block; ``client`` is the
    program's name; ``token`` is for reconnecting, and empty for a newcomer. A newcomer asks for ``name``, if it is
    given.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[trio.abc.Stream]],
        report: Callable[[ConnectionEvent], None],
        *,
        client: str,
        name: str = "",
        token: str = "",
    ) -> None:
        self._connect = connect
        self._report = report
        self.conversation = Conversation(client=client, name=name, token=token)
        self._scope = trio.CancelScope()
        self._use_scope = trio.CancelScope()
        """Cancelled to give up the current stream."""
        self._is_quitting = False
        self.is_connected = False
        """Whether there is a stream to the server."""
        self._may_send = trio.Event()
        self._may_receive = trio.Event()
        self._may_receive.set()
        self._accepted = trio.Event()

    @property
    def is_over(self) -> bool:
        """Whether there will be no further attempt."""
        return self._is_quitting or self.conversation.is_over

    def send(self, line: str, *, is_quiet: bool = False) -> None:
        """Send a command line, now or as soon as there is a connection; if ``is_quiet``, do not report a refusal."""
        self.conversation.send(line, is_quiet=is_quiet)
        self._may_send.set()

    def quit(self) -> None:
        """Stop for good: at once if not connected, otherwise after the server's ``bye`` or ``GOODBYE_SECONDS``."""
        self._is_quitting = True
        if self.is_connected:
            self.send("quit")
            self._scope.deadline = trio.current_time() + GOODBYE_SECONDS
        else:
            self._scope.cancel()

    def reconnect(self) -> None:
        """Treat the connection as lost, and reconnect."""
        self._use_scope.cancel()

    def accept(self, token: str) -> None:
        """Connect to a server that was not trusted; ``token`` is for reconnecting to it."""
        self.conversation.token = token
        self._accepted.set()

    def pause_receiving(self) -> None:
        """Stop receiving until ``resume_receiving``, so that the server has to wait."""
        if self._may_receive.is_set():
            self._may_receive = trio.Event()

    def resume_receiving(self) -> None:
        """Resume receiving."""
        self._may_receive.set()

    async def run(self) -> None:
        """Stay connected until the server ends the conversation for good, or until ``quit``."""
        with self._scope:
            await keep_connected(
                self._connect, self._use, self._wait_for_trust, self._report, lambda: self.is_over
            )

    async def _wait_for_trust(self, problem: Untrusted) -> None:
        self._accepted = trio.Event()
        self._report(problem)
        await self._accepted.wait()

    async def _use(self, stream: trio.abc.Stream) -> bool:
        """Use a stream until it is closed or lost; return whether the player had logged in."""
        self.is_connected = True
        self.conversation.start_connection()
        try:
            async with trio.open_nursery() as nursery:
                self._use_scope = nursery.cancel_scope
                nursery.start_soon(self._send_all, stream)
                await self._receive_all(stream)
                nursery.cancel_scope.cancel()
        finally:
            self.is_connected = False
        return self.conversation.has_entered

    async def _send_all(self, stream: trio.abc.Stream) -> None:
        """Send queued lines, but no more per second than the server accepts: refused ones would be lost."""
        counted: deque[float] = deque()
        """For each line sent, the time when it stops counting against the limit."""
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):  # receiving stops, too
            while True:
                self._may_send = trio.Event()
                now = trio.current_time()
                while counted and counted[0] <= now:
                    counted.popleft()
                if lines := self.conversation.outgoing(max(0, self.conversation.rate - len(counted))):
                    counted.extend([now + RATE_SECONDS] * lines.count(b"\n"))
                    await stream.send_all(lines)
                else:
                    with trio.move_on_at(counted[0] if self.conversation.has_more else math.inf):
                        await self._may_send.wait()

    async def _receive_all(self, stream: trio.abc.Stream) -> None:
        """Receive until the stream ends, the server stops answering, or it ends the conversation for good."""
        is_probed = False
        while not self.conversation.is_over:
            await self._may_receive.wait()
            with trio.move_on_after(SILENCE) as patience:
                try:
                    chunk = await stream.receive_some()
                except (trio.BrokenResourceError, trio.ClosedResourceError):
                    return
            if patience.cancelled_caught:
                if is_probed:
                    return
                is_probed = True
                self.conversation.probe()
            elif not chunk:
                return
            else:
                is_probed = False
                for event in self.conversation.receive(bytes(chunk)):
                    self._report(event)
            self._may_send.set()
