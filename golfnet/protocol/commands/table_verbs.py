"""The commands of a table: its seats, play, talk, and short questions about what lies on it."""

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
        summary="show the whole table again, as you may see it",
        parameters=(Parameter(name="table", kind=Kind.TABLE, optional=True),),
        short=("l",),
        instead=("view", "show", "cards", "refresh", "status"),
    ),
    _table(
        verb="ready",
        summary="say that the match, or the next hole, may begin",
        short=("r",),
        instead=("go", "next", "deal"),
    ),
    _host(verb="start", summary="start the match with the seats that are taken", instead=("begin",)),
    _table(verb="rematch", summary="play another match at the same table", instead=("restart",)),
    _host(
        verb="bot",
        summary="fill a free seat with a bot, or all of them after a wait",
        parameters=(Parameter(name="level", kind=Kind.LEVEL, optional=True),),
        options=(FILL,),
        instead=("addbot", "ai"),
    ),
    _host(
        verb="kick",
        summary="send somebody away from a seat, or from watching",
        parameters=(Parameter(name="who", kind=Kind.OCCUPANT, label="SEAT|NAME"),),
        instead=("remove",),
    ),
    _host(
        verb="host",
        summary="make another player the host of the table",
        parameters=(Parameter(name="who", kind=Kind.OCCUPANT, label="SEAT|NAME"),),
    ),
    _host(
        verb="seat",
        summary="let somebody play for a player who is away",
        parameters=(Parameter(name="seat", kind=Kind.SEAT), Parameter(name="name", kind=Kind.PLAYER)),
        is_chat=True,
        instead=("substitute", "sub"),
    ),
    _table(verb="leave", summary="give up your seat", instead=("stand", "part")),
    _table(
        verb="cut",
        summary="add a text of your own to the next shuffle",
        parameters=(_TEXT,),
        instead=("shuffle",),
    ),
    _table(
        verb="seal",
        summary="fix a text for the next shuffle that nobody can know yet",
        parameters=(Parameter(name="hex", kind=Kind.DIGEST, optional=True),),
    ),
    _play(
        verb="peek",
        summary="look at face-down cards, at the start or by a power",
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
        summary="lay the stock card you hold on the discard pile",
        short=("x",),
        instead=("drop", "throw", "refuse", "reject"),
    ),
    _play(
        verb="knock",
        summary="knock instead of a turn; the others have one more each",
        short=("k",),
        instead=("cactus", "close"),
    ),
    _play(
        verb="pass",
        summary="turn up no card, or let a slam window go by",
        parameters=(Parameter(name="until", kind=Kind.WORD, label="hole", optional=True),),
        short=("p",),
        instead=("skip", "fold"),
    ),
    _play(
        verb="switch",
        summary="exchange two face-down cards unseen, by a power",
        parameters=(
            Parameter(name="first", kind=Kind.POSITION, label="POSITION"),
            Parameter(name="second", kind=Kind.POSITION, label="POSITION"),
        ),
    ),
    _play(verb="decline", summary="leave a power unused", instead=("no", "nothing")),
    _play(
        verb="slam",
        summary="claim that a face-down card equals the discard",
        parameters=(
            Parameter(name="position", kind=Kind.POSITION),
            Parameter(name="discard", kind=Kind.DISCARD, label="#N", optional=True),
        ),
        short=("!",),
        instead=("slap", "snap", "match"),
    ),
    _play(
        verb="give",
        summary="give one of your cards for one you slammed away",
        parameters=(_SLOT,),
        short=("g",),
    ),
    _talk(
        verb="say",
        where=Where.TABLE,
        summary="speak at your table",
        parameters=(_TEXT,),
        is_chat=True,
        short=("'", '"'),
        instead=("chat", "talk"),
    ),
    _talk(
        verb="tell",
        summary="speak to one player",
        parameters=(Parameter(name="name", kind=Kind.PLAYER), _TEXT),
        is_chat=True,
        instead=("whisper", "msg", "page", "privmsg"),
    ),
    _talk(
        verb="shout",
        summary="speak to everybody in the lobby",
        parameters=(_TEXT,),
        is_chat=True,
        instead=("yell", "gossip", "lobby"),
    ),
    _talk(
        verb="mute",
        summary="hear no more of what a player says",
        parameters=(_ANY_NAME, _STATE),
        instead=("ignore", "squelch", "unmute"),
    ),
    _talk(
        verb="noplay",
        summary="share no table with a player",
        parameters=(_ANY_NAME, _STATE),
        abbreviated=False,
        instead=("block", "avoid"),
    ),
    _ask(verb="hand", summary="say your own cards, and the one you hold", instead=("mine", "layout")),
    _ask(verb="top-card", summary="say the top card of the discard pile", abbreviated=False),
    _ask(verb="turn", summary="say whose turn it is and what you can do now", instead=("whose", "actions")),
    _ask(verb="score", summary="say the scores so far", instead=("scores", "points", "totals")),
    _ask(verb="last", where=Where.ANYWHERE, summary="say what happened last"),
    _ask(verb="again", where=Where.ANYWHERE, summary="repeat what was said to you last", instead=("repeat",)),
    _ask(
        verb="log",
        text_only=False,
        summary="show how the slams of the last hole were judged",
        abbreviated=False,
    ),
)
