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

_SLOT: Final = Parameter("slot", Kind.SLOT)
_TEXT: Final = Parameter("text", Kind.TEXT, rest=True)
_ANY_NAME: Final = Parameter("name", Kind.PLAYER, optional=True)
_STATE: Final = Parameter("state", Kind.SWITCH, label="on|off", optional=True)

TABLE_VERBS: Final = (
    _table(
        "look",
        "show the table again",
        where=Where.TABLE,
        parameters=(Parameter("table", Kind.TABLE, optional=True),),
        changes=False,
        short=("l",),
        instead="view show cards refresh status",
    ),
    _table("ready", "say that you are ready to begin", short=("r",), instead="go next deal"),
    _host("start", "start the match without waiting for more players", instead="begin"),
    _table("rematch", "play another match at the same table", instead="restart"),
    _host(
        "bot",
        "add a bot, or let bots fill the free seats later",
        parameters=(Parameter("level", Kind.LEVEL, optional=True),),
        options=(FILL,),
        instead="addbot ai",
    ),
    _table(
        "invite",
        "invite a player to your table",
        parameters=(Parameter("name", Kind.PLAYER),),
        changes=False,
        is_chat=True,
        instead="ask",
    ),
    _host(
        "kick",
        "remove a player, a bot or a watcher",
        parameters=(Parameter("who", Kind.OCCUPANT, label="SEAT|NAME"),),
        instead="remove",
    ),
    _host(
        "host",
        "make another player the host of the table",
        parameters=(Parameter("who", Kind.OCCUPANT, label="SEAT|NAME"),),
    ),
    _table(
        "seat",
        "let somebody else play for a player who is away",
        parameters=(Parameter("seat", Kind.SEAT), Parameter("name", Kind.PLAYER)),
        is_chat=True,
        instead="substitute sub",
    ),
    _table("leave", "give up your seat, or your place in line", where=Where.TABLE, instead="stand part"),
    _table("cut", "add your own words to the next shuffle", parameters=(_TEXT,), instead="shuffle"),
    _table(
        "seal",
        "add secret words to the next shuffle",
        parameters=(Parameter("hex", Kind.DIGEST, optional=True),),
    ),
    _play(
        "peek",
        "look at face-down cards",
        parameters=(Parameter("positions", Kind.POSITION, label="POSITION", repeated=True),),
        instead="spy peep",
    ),
    _play(
        "flip",
        "turn up one or more of your own cards",
        parameters=(Parameter("slots", Kind.SLOT, label="SLOT", repeated=True),),
        short=("f",),
        instead="turnup reveal",
    ),
    _play("draw", "draw the top card of the stock", short=("d",), instead="pick stock hit"),
    _play(
        "take",
        "take the top card of the discard pile",
        parameters=(Parameter("slot", Kind.SLOT, optional=True),),
        short=("t",),
        instead="grab pickup",
    ),
    _play(
        "swap",
        "put the card you hold into a slot",
        parameters=(_SLOT,),
        short=("s",),
        instead="replace place put keep exchange",
    ),
    _play("discard", "discard the card you have drawn", short=("x",), instead="drop throw refuse reject"),
    _play("knock", "end the hole: the others have one more turn each", short=("k",), instead="cactus close"),
    _play(
        "pass",
        "do not turn up a card, or do not slam",
        parameters=(Parameter("until", Kind.WORD, label="hole", optional=True),),
        short=("p",),
        instead="skip fold",
    ),
    _play(
        "switch",
        "use a power to exchange two face-down cards unseen",
        parameters=(
            Parameter("first", Kind.POSITION, label="POSITION"),
            Parameter("second", Kind.POSITION, label="POSITION"),
        ),
    ),
    _play("decline", "do not use a power", instead="no nothing"),
    _play(
        "slam",
        "throw a face-down card of the same rank as the discard",
        parameters=(
            Parameter("position", Kind.POSITION),
            Parameter("discard", Kind.DISCARD, label="#N", optional=True),
        ),
        short=("!",),
        instead="slap snap match",
    ),
    _play("give", "give a card to somebody whose card you slammed", parameters=(_SLOT,), short=("g",)),
    _talk(
        "say",
        "say something at your table",
        where=Where.TABLE,
        parameters=(_TEXT,),
        is_chat=True,
        short=("'", '"'),
        instead="chat talk",
    ),
    _talk(
        "tell",
        "say something to one player",
        parameters=(Parameter("name", Kind.PLAYER), _TEXT),
        is_chat=True,
        instead="whisper msg page privmsg",
    ),
    _talk(
        "shout",
        "say something to everybody in the lobby",
        parameters=(_TEXT,),
        is_chat=True,
        instead="yell gossip lobby",
    ),
    _talk(
        "mute",
        "stop seeing what a player says",
        parameters=(_ANY_NAME, _STATE),
        instead="ignore squelch unmute",
    ),
    _talk(
        "noplay",
        "never play with a player",
        parameters=(_ANY_NAME, _STATE),
        abbreviated=False,
        instead="block avoid",
    ),
    _ask("hand", "say what your cards are", instead="mine layout"),
    _ask("top-card", "say what the top card of the discard pile is", abbreviated=False),
    _ask("turn", "say whose turn it is and what you can do now", instead="whose actions"),
    _ask("score", "say the scores so far", instead="scores points totals"),
    _ask("last", "say what happened last", where=Where.ANYWHERE),
    _ask("again", "repeat what you were told last", where=Where.ANYWHERE, instead="repeat"),
    _ask(
        "hint",
        "say what a good bot would do in your place, and why",
        where=Where.SEATED,
        text_only=False,
        abbreviated=False,
        instead="coach advice tip suggest best",
    ),
    _ask(
        "moves",
        "list the moves of this hole, or of the last one",
        parameters=(Parameter("table", Kind.TABLE, optional=True),),
        text_only=False,
        abbreviated=False,
        short=("mo",),
        instead="move sofar",
    ),
    _ask("log", "show how the slams of the last hole were judged", text_only=False, abbreviated=False),
)
