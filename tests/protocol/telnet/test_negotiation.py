"""The Q method: every transition of RFC 1143, and two ends that always come to agree."""

from __future__ import annotations

from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golfnet.protocol.telnet.negotiation import Cue, Negotiator, OptionReply, OptionState, Side, step
from golfnet.protocol.telnet.wire import Command, Negotiation, TelnetParser, negotiation

OPTION = 31

# RFC 1143, section 7, in its own words, for one side ("him"): state, queue bit and what happens; then what follows.
# "WILL" and "WONT" are heard, "enable" and "disable" are our decisions; the last column is what is sent.
RFC_1143 = """
    NO      -         WILL+    YES      -         DO
    NO      -         WILL-    NO       -         DONT
    YES     -         WILL     YES      -         nothing
    WANTNO  EMPTY     WILL     NO       -         nothing
    WANTNO  OPPOSITE  WILL     YES      -         nothing
    WANTYES EMPTY     WILL     YES      -         nothing
    WANTYES OPPOSITE  WILL     WANTNO   EMPTY     DONT
    NO      -         WONT     NO       -         nothing
    YES     -         WONT     NO       -         DONT
    WANTNO  EMPTY     WONT     NO       -         nothing
    WANTNO  OPPOSITE  WONT     WANTYES  EMPTY     DO
    WANTYES EMPTY     WONT     NO       -         nothing
    WANTYES OPPOSITE  WONT     NO       -         nothing
    NO      -         enable   WANTYES  EMPTY     DO
    YES     -         enable   YES      -         nothing
    WANTNO  EMPTY     enable   WANTNO   OPPOSITE  nothing
    WANTNO  OPPOSITE  enable   WANTNO   OPPOSITE  nothing
    WANTYES EMPTY     enable   WANTYES  EMPTY     nothing
    WANTYES OPPOSITE  enable   WANTYES  EMPTY     nothing
    NO      -         disable  NO       -         nothing
    YES     -         disable  WANTNO   EMPTY     DONT
    WANTNO  EMPTY     disable  WANTNO   EMPTY     nothing
    WANTNO  OPPOSITE  disable  WANTNO   EMPTY     nothing
    WANTYES EMPTY     disable  WANTYES  OPPOSITE  nothing
    WANTYES OPPOSITE  disable  WANTYES  OPPOSITE  nothing
"""
STATES = {
    ("NO", "-"): OptionState.NO,
    ("YES", "-"): OptionState.YES,
    ("WANTNO", "EMPTY"): OptionState.WANT_NO,
    ("WANTNO", "OPPOSITE"): OptionState.WANT_NO_THEN_YES,
    ("WANTYES", "EMPTY"): OptionState.WANT_YES,
    ("WANTYES", "OPPOSITE"): OptionState.WANT_YES_THEN_NO,
}
CUES = {"WILL": Cue.RECEIVED_YES, "WONT": Cue.RECEIVED_NO, "enable": Cue.WANT_ON, "disable": Cue.WANT_OFF}
SAYS = {"DO": OptionReply.YES, "DONT": OptionReply.NO, "nothing": OptionReply.NOTHING}
ROWS = [line.split() for line in RFC_1143.strip().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids="-".join)
def test_each_transition_of_the_rfc(row: list[str]) -> None:
    before, queue, happens, after, queue_after, sent = row
    agrees = (True, False) if happens == happens.rstrip("+-") else (happens.endswith("+"),)
    for agree in agrees:
        outcome = step(STATES[before, queue], CUES[happens.rstrip("+-")], agree=agree)
        assert outcome == (STATES[after, queue_after], SAYS[sent])


def test_every_state_follows_the_rfc() -> None:
    assert {(STATES[row[0], row[1]], CUES[row[2].rstrip("+-")]) for row in ROWS} == {
        (state, cue) for state in OptionState for cue in Cue
    }


def test_the_two_sides_send_their_own_verbs() -> None:
    us = Negotiator(ours={1}, theirs={2})
    assert us.receive(Command.DO, 1) == negotiation(Command.WILL, 1)
    assert us.receive(Command.DO, 2) == negotiation(Command.WONT, 2)
    assert us.receive(Command.WILL, 2) == negotiation(Command.DO, 2)
    assert us.receive(Command.WILL, 1) == negotiation(Command.DONT, 1)
    assert us.is_on(Side.US, 1)
    assert us.is_on(Side.PEER, 2)
    assert not us.is_on(Side.US, 2)
    assert us.receive(Command.DONT, 1) == negotiation(Command.WONT, 1)
    assert us.want_off(Side.PEER, 2) == negotiation(Command.DONT, 2)
    assert not us.is_on(Side.US, 1)
    assert not us.is_on(Side.PEER, 2)


class Wire:
    """Two negotiators and the bytes on their way between them, as two queues."""

    def __init__(self, left: Negotiator, right: Negotiator) -> None:
        self.ends = (left, right)
        self.parsers = (TelnetParser(awake=True), TelnetParser(awake=True))
        self.arriving: tuple[deque[Negotiation], deque[Negotiation]] = (deque(), deque())
        self.said = 0

    def send(self, sender: int, data: bytes) -> None:
        for token in self.parsers[1 - sender].feed(data):
            assert isinstance(token, Negotiation)
            self.arriving[1 - sender].append(token)
            self.said += 1

    def deliver(self, receiver: int) -> None:
        if self.arriving[receiver]:
            heard = self.arriving[receiver].popleft()
            self.send(receiver, self.ends[receiver].receive(heard.verb, heard.option))

    def settle(self) -> None:
        while any(self.arriving):
            self.deliver(0)
            self.deliver(1)


def negotiators() -> st.SearchStrategy[Negotiator]:
    policies = st.sampled_from([frozenset[int](), frozenset({OPTION})])
    return st.builds(lambda ours, theirs: Negotiator(ours=ours, theirs=theirs), policies, policies)


@given(
    negotiators(),
    negotiators(),
    st.lists(
        st.tuples(st.sampled_from(["on", "off", "deliver"]), st.integers(0, 1), st.sampled_from(Side)),
        max_size=30,
    ),
)
def test_two_ends_settle_and_agree(
    left: Negotiator, right: Negotiator, doings: list[tuple[str, int, Side]]
) -> None:
    wire = Wire(left, right)
    for doing, end, side in doings:
        if doing == "on":
            wire.send(end, wire.ends[end].want_on(side, OPTION))
        elif doing == "off":
            wire.send(end, wire.ends[end].want_off(side, OPTION))
        else:
            wire.deliver(end)
    wire.settle()
    assert wire.said <= 4 * (len(doings) + 1)
    assert left.is_on(Side.US, OPTION) == right.is_on(Side.PEER, OPTION)
    assert left.is_on(Side.PEER, OPTION) == right.is_on(Side.US, OPTION)


@given(st.lists(st.tuples(st.sampled_from([251, 252, 253, 254]), st.integers(0, 255)), max_size=300))
def test_a_peer_gets_no_more_answers_than_it_sends(heard: list[tuple[int, int]]) -> None:
    us = Negotiator(ours={1, 3}, theirs={3, 31})
    said = [us.receive(Command(verb), option) for verb, option in heard]
    assert all(len(words) in (0, 3) for words in said)
    assert us.receive(Command.DO, 99) == us.receive(Command.DO, 99) == negotiation(Command.WONT, 99)
