"""One small two-seat hole in each phase, with A to move if it is anybody's turn."""

from __future__ import annotations

from tests.engine.drawing import FOUR, SIX, Played, dealt


def start() -> Played:
    return dealt("four-card-knock", FOUR)


def flipping() -> Played:
    return dealt("six-card", SIX)


def one_owed() -> Played:
    played = dealt("four-turn", FOUR)
    played.plays("A peek 3")
    return played


def chosen() -> Played:
    played = start()
    played.plays("A peek 1 2")
    return played


def turn() -> Played:
    return dealt("four-card-knock", FOUR, upcard="9S").chosen()


def holding() -> Played:
    played = turn()
    played.plays("A draw")
    return played


def taken() -> Played:
    played = turn()
    played.plays("A take")
    return played


def flip() -> Played:
    played = dealt("six-card", SIX).chosen()
    played.plays("A draw", "A discard")
    return played


def power() -> Played:
    played = dealt("cactus", FOUR, stock="JC 5D").chosen()
    played.plays("A draw", "A discard")
    return played


def window() -> Played:
    played = dealt("cactus", FOUR, stock="7C 5D").chosen()
    played.plays("A draw", "A discard")
    return played


def slammed() -> Played:
    played = window()
    played.plays("A slam 1")
    assert played.hole.window is not None
    assert played.hole.window.won
    return played


def gift() -> Played:
    played = window()
    played.plays("B slam A1")
    return played


def over() -> Played:
    played = dealt("cactus", FOUR, stock="5D", rest=False).chosen()
    played.plays("A draw")
    return played
