"""The commands of a table: seats, play, chat, and short questions about the cards."""

from functools import partial
from typing import Final

from golfnet.protocol.commands.lobby_verbs import FILL
from golfnet.protocol.commands.specs import CommandSpec, Group, Kind, Parameter, Where

_table: Final = partial(CommandSpec, group=Group.TABLE, where=Where.SEATED, changes=True)
_host: Final = partial(CommandSpec, group=Group.TABLE, where=Where.HOST, changes=True)
_play: Final = partial(CommandSpec, group=Group.PLAY, where=Where.SEATED, changes=True, frequent=True)
_talk: Final = partial(CommandSpec, group=Group.TALK, where=Where.NAMED)
_ask: Final = partial(CommandSpec, group=Group.ASK, where=Where.TABLE, text_only=True)

_SLOT: Final = Parameter(name="slot", kind=Kind.SLOT)
_TEXT: Final = Parameter(name="text", kind=Kind.TEXT, rest=True)
_ANY_NAME: Final = Parameter(name="name", kind=Kind.PLAYER, optional=True)
_STATE: Final = Parameter(name="state", kind=Kind.SWITCH, label="on|off", optional=True)

TABLE_VERBS: Final = (
    _table(
        verb="look",
        where=Where.TABLE,
        changes=False,
        summary="show the table again",
        parameters=(Parameter(name="table", kind=Kind.TABLE, optional=True),),
        short=("l",),
        instead=("view", "show", "cards", "refresh", "status"),
    ),
    _table(
        verb="ready",
        summary="say that you are ready to begin",
        short=("r",),
        instead=("go", "next", "deal"),
    ),
    _host(verb="start", summary="start the match without waiting for more players", instead=("begin",)),
    _table(verb="rematch", summary="play another match at the same table", instead=("restart",)),
    _host(
        verb="bot",
        summary="add a bot, or let bots fill the free seats later",
        parameters=(Parameter(name="level", kind=Kind.LEVEL, optional=True),),
        options=(FILL,),
        instead=("addbot", "ai"),
    ),
    _table(
        verb="invite",
        changes=False,
        summary="invite a player to your table",
        parameters=(Parameter(name="name", kind=Kind.PLAYER),),
        is_chat=True,
        instead=("ask",),
    ),
    _host(
        verb="kick",
        summary="remove a player, a bot or a watcher",
        parameters=(Parameter(name="who", kind=Kind.OCCUPANT, label="SEAT|NAME"),),
        instead=("remove",),
    ),
    _host(
        verb="host",
        summary="make another player the host of the table",
        parameters=(Parameter(name="who", kind=Kind.OCCUPANT, label="SEAT|NAME"),),
    ),
    _table(
        verb="seat",
        summary="let somebody else play for a player who is away",
        parameters=(Parameter(name="seat", kind=Kind.SEAT), Parameter(name="name", kind=Kind.PLAYER)),
        is_chat=True,
        instead=("substitute", "sub"),
    ),
    _table(
        verb="leave",
        where=Where.TABLE,
        summary="give up your seat, or your place in line",
        instead=("stand", "part"),
    ),
    _table(
        verb="cut",
        summary="add your own words to the next shuffle",
        parameters=(_TEXT,),
        instead=("shuffle",),
    ),
    _table(
        verb="seal",
        summary="add secret words to the next shuffle",
        parameters=(Parameter(name="hex", kind=Kind.DIGEST, optional=True),),
    ),
    _play(
        verb="peek",
        summary="look at face-down cards",
        parameters=(Parameter(name="positions", kind=Kind.POSITION, label="POSITION", repeated=True),),
        instead=("spy", "peep"),
    ),
    _play(
        verb="flip",
        summary="turn up one or more of your own cards",
        parameters=(Parameter(name="slots", kind=Kind.SLOT, label="SLOT", repeated=True),),
        short=("f",),
        instead=("turnup", "reveal"),
    ),
    _play(
        verb="draw", summary="draw the top card of the stock", short=("d",), instead=("pick", "stock", "hit")
    ),
    _play(
        verb="take",
        summary="take the top card of the discard pile",
        parameters=(Parameter(name="slot", kind=Kind.SLOT, optional=True),),
        short=("t",),
        instead=("grab", "pickup"),
    ),
    _play(
        verb="swap",
        summary="put the card you hold into a slot",
        parameters=(_SLOT,),
        short=("s",),
        instead=("replace", "place", "put", "keep", "exchange"),
    ),
    _play(
        verb="discard",
        summary="discard the card you have drawn",
        short=("x",),
        instead=("drop", "throw", "refuse", "reject"),
    ),
    _play(
        verb="knock",
        summary="end the hole: the others have one more turn each",
        short=("k",),
        instead=("cactus", "close"),
    ),
    _play(
        verb="pass",
        summary="do not turn up a card, or do not slam",
        parameters=(Parameter(name="until", kind=Kind.WORD, label="hole", optional=True),),
        short=("p",),
        instead=("skip", "fold"),
    ),
    _play(
        verb="switch",
        summary="use a power to exchange two face-down cards unseen",
        parameters=(
            Parameter(name="first", kind=Kind.POSITION, label="POSITION"),
            Parameter(name="second", kind=Kind.POSITION, label="POSITION"),
        ),
    ),
    _play(verb="decline", summary="do not use a power", instead=("no", "nothing")),
    _play(
        verb="slam",
        summary="throw a face-down card of the same rank as the discard",
        parameters=(
            Parameter(name="position", kind=Kind.POSITION),
            Parameter(name="discard", kind=Kind.DISCARD, label="#N", optional=True),
        ),
        short=("!",),
        instead=("slap", "snap", "match"),
    ),
    _play(
        verb="give",
        summary="give a card to somebody whose card you slammed",
        parameters=(_SLOT,),
        short=("g",),
    ),
    _talk(
        verb="say",
        where=Where.TABLE,
        summary="say something at your table",
        parameters=(_TEXT,),
        is_chat=True,
        short=("'", '"'),
        instead=("chat", "talk"),
    ),
    _talk(
        verb="tell",
        summary="say something to one player",
        parameters=(Parameter(name="name", kind=Kind.PLAYER), _TEXT),
        is_chat=True,
        instead=("whisper", "msg", "page", "privmsg"),
    ),
    _talk(
        verb="shout",
        summary="say something to everybody in the lobby",
        parameters=(_TEXT,),
        is_chat=True,
        instead=("yell", "gossip", "lobby"),
    ),
    _talk(
        verb="mute",
        summary="stop seeing what a player says",
        parameters=(_ANY_NAME, _STATE),
        instead=("ignore", "squelch", "unmute"),
    ),
    _talk(
        verb="noplay",
        summary="never play with a player",
        parameters=(_ANY_NAME, _STATE),
        abbreviated=False,
        instead=("block", "avoid"),
    ),
    _ask(verb="hand", summary="say what your cards are", instead=("mine", "layout")),
    _ask(verb="top-card", summary="say what the top card of the discard pile is", abbreviated=False),
    _ask(verb="turn", summary="say whose turn it is and what you can do now", instead=("whose", "actions")),
    _ask(verb="score", summary="say the scores so far", instead=("scores", "points", "totals")),
    _ask(verb="last", where=Where.ANYWHERE, summary="say what happened last"),
    _ask(verb="again", where=Where.ANYWHERE, summary="repeat what you were told last", instead=("repeat",)),
    _ask(
        verb="hint",
        where=Where.SEATED,
        text_only=False,
        summary="say what a good bot would do in your place, and why",
        abbreviated=False,
        instead=("coach", "advice", "tip", "suggest", "best"),
    ),
    _ask(
        verb="moves",
        text_only=False,
        summary="list the moves of this hole, or of the last one",
        parameters=(Parameter(name="table", kind=Kind.TABLE, optional=True),),
        short=("mo",),
        abbreviated=False,
        instead=("move", "sofar"),
    ),
    _ask(
        verb="log",
        text_only=False,
        summary="show how the slams of the last hole were judged",
        abbreviated=False,
    ),
)
