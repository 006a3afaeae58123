"""The bus in PostgreSQL: LISTEN and NOTIFY, on two connections and in two threads of its own.

Invariants: nobody waits for the bus. It takes no part in other transactions, because a commit with a notification locks
the whole database; payloads queued within ``PACKED_SECONDS`` share notifications. What cannot be sent is lost, and so
is what others send while the listening connection is down. That connection also holds the node's lock: its thread
notices at once if the connection is lost, and opens another.
"""

import logging
from collections.abc import Callable
from queue import SimpleQueue
from threading import Event, Thread
from time import monotonic, sleep
from typing import Final

import msgspec
import psycopg

from golfnet.storage.faults import StoreError
from golfnet.storage.postgres.connections import LimitedConnection, connect
from golfnet.storage.postgres.fence import hold

PACKED_SECONDS: Final = 0.02
PAYLOAD_LIMIT: Final = 3900
"""Maximum bytes in a payload, which is JSON; a line of chat takes a third of that. Longer payloads are dropped."""

NOTIFICATION_BYTES: Final = 7900
"""Maximum bytes in a notification; PostgreSQL allows 8,000."""

WAITING: Final = 1000
"""Maximum number of queued payloads: more than a second of busy chat."""

SEND_SECONDS: Final = 2.0
LOOK_SECONDS: Final = 0.2
"""Seconds after which a waiting thread checks whether it must stop."""

RETRY_SECONDS: Final = 1.0

log = logging.getLogger(__name__)


_Payload = tuple[int | None, str]
"""A node, or None for all nodes, and the payload for it."""


class PostgresBus:
    """One node's bus; ``listen`` is called once, and calls back from a thread."""

    def __init__(self, url: str, node: int) -> None:
        self._url = url
        self._node = node
        self._waiting: SimpleQueue[_Payload | None] = SimpleQueue()
        """Payloads to send; None is the last."""
        self._is_over = Event()
        self.is_listening = Event()
        """Set while payloads from other nodes are being received."""
        self._threads = [Thread(target=self._send_all, name="golfnet bus sender", daemon=True)]
        self._threads[0].start()

    def send(self, payload: bytes, node: int | None = None) -> None:
        """Send a payload to a node, which may be this one, or to all others; it may be lost."""
        if len(payload) > PAYLOAD_LIMIT:
            log.warning("lost a payload for other nodes: it is longer than %d bytes", PAYLOAD_LIMIT)
            return
        if self._waiting.qsize() >= WAITING:
            log.warning("lost a payload for other nodes: the queue is full")
            return
        self._waiting.put((node, payload.decode()))

    def listen(self, receive: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        """Call ``receive`` with each payload that other nodes send, and ``lost`` when the connection is lost."""
        thread = Thread(
            target=self._receive_all, args=(receive, lost), name="golfnet bus receiver", daemon=True
        )
        self._threads.append(thread)
        thread.start()

    def close(self) -> None:
        """Send what is queued, then stop."""
        self._is_over.set()
        self._waiting.put(None)
        for thread in self._threads:
            thread.join(SEND_SECONDS)

    # --- sending

    def _send_all(self) -> None:
        connection: LimitedConnection | None = None
        is_over = False
        while not is_over:
            queued = [self._waiting.get()]
            sleep(PACKED_SECONDS)
            queued += [self._waiting.get() for _ in range(self._waiting.qsize())]
            sent = [payload for payload in queued if payload is not None]
            is_over = len(sent) < len(queued)
            if not sent:
                continue
            try:
                connection = connection or self._connect()
                connection.until = monotonic() + SEND_SECONDS
                for text in _packed(self._node, sent):
                    connection.run(f"SELECT pg_notify({_CHANNEL}, ?)", text)
            except (psycopg.Error, StoreError) as error:
                log.warning("lost payloads for other nodes: %s", error)
                if connection is not None:
                    connection.close()
                    connection = None
        if connection is not None:
            connection.close()

    def _connect(self) -> LimitedConnection:
        connection = connect(self._url, name="golfnet bus")
        connection.run("SET synchronous_commit = off")
        return connection

    # --- receiving

    def _receive_all(self, receive: Callable[[bytes], None], lost: Callable[[], None]) -> None:
        is_away = False
        while not self._is_over.is_set():
            try:
                with self._connect() as connection:
                    hold(connection, self._node)
                    ((channel,),) = connection.run(f"SELECT {_CHANNEL}")
                    connection.run(f'LISTEN "{channel}"')
                    if is_away:
                        is_away = False
                        log.warning("receiving from other nodes again")
                    self.is_listening.set()
                    while not self._is_over.is_set():
                        for notification in connection.notifies(timeout=LOOK_SECONDS):
                            self._unpack(notification.payload, receive)
            except (psycopg.Error, StoreError) as error:
                self.is_listening.clear()
                if is_away:  # the first retry is immediate, so that others do not miss this node
                    self._is_over.wait(RETRY_SECONDS)
                else:
                    is_away = True
                    lost()
                    log.warning("losing what other nodes send until the database answers: %s", error)

    def _unpack(self, notification: str, receive: Callable[[bytes], None]) -> None:
        try:
            sender, sent = _DECODER.decode(notification)
        except msgspec.MsgspecError:
            return  # from another program or another version
        for node, text in sent:
            if node == self._node or (node is None and sender != self._node):
                receive(text.encode())


_DECODER: Final = msgspec.json.Decoder(tuple[int, list[_Payload]])


def _packed(node: int, sent: list[_Payload]) -> list[str]:
    """Return notifications with all payloads, in order, each up to the maximum length."""
    packs: list[list[_Payload]] = []
    size = NOTIFICATION_BYTES
    for each in sent:
        weight = len(msgspec.json.encode(each)) + 1
        if size + weight > NOTIFICATION_BYTES - 32:
            packs.append([])
            size = 0
        packs[-1].append(each)
        size += weight
    return [msgspec.json.encode((node, pack)).decode() for pack in packs]


_CHANNEL: Final = "'golfnet_' || md5(current_schema())"
"""The name of the channel: one per schema, since a database can serve several servers."""
