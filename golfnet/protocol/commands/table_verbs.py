"""The commands of a table outside of play: its host, its talk, and short questions about what lies on it."""

from typing import Final

from golfnet.protocol.commands.lobby_verbs import FILL
from golfnet.protocol.commands.specs import CommandSpec, Example, Group, Kind, Parameter, Where

_SEAT: Final = Parameter(name="seat", kind=Kind.SEAT)
_TEXT: Final = Parameter(name="text", kind=Kind.TEXT, rest=True)
_MEANT: Final = Parameter(name="name", kind=Kind.PLAYER, optional=True)
_SEAL: Final = "07a470006cc64fd1b985ea81dea8b4a8ff641ced528c5197eeabbed7f4d7c676"
_STATE: Final = Parameter(name="state", kind=Kind.SWITCH, label="on|off", optional=True)

TABLE_VERBS: Final = (
    CommandSpec(
        verb="look",
        group=Group.TABLE,
        where=Where.TABLE,
        summary="show the whole table again, as you may see it",
        parameters=(Parameter(name="table", kind=Kind.TABLE, optional=True),),
        short=("l",),
        instead=("view", "show", "cards", "refresh", "status"),
        help=(
            "Shows everything you may see: all layouts, the discard pile, the card you hold, whose turn it is, the "
            "scores, and what you can do now. If you watch several tables, name the one you mean.",
        ),
        examples=(
            Example(line="l", does="shows your table"),
            Example(line="look t12", does="shows table t12, which you watch"),
        ),
        see=("cards", "positions", "hand"),
    ),
    CommandSpec(
        verb="ready",
        group=Group.TABLE,
        where=Where.SEATED,
        changes=True,
        summary="say that the match, or the next hole, may begin",
        short=("r",),
        instead=("go", "next", "deal"),
        help=(
            "A full table starts 5 seconds after its last seat was taken, or as soon as everybody has said ready. "
            "Between two holes the next one is dealt when all who are present have said ready, and at the latest "
            "when the pause is over.",
            "While the house plays your seat, ready takes it back.",
        ),
        examples=(Example(line="r", does="says that you are ready"),),
        see=("start", "rematch"),
    ),
    CommandSpec(
        verb="start",
        group=Group.TABLE,
        where=Where.HOST,
        changes=True,
        summary="start the match with the seats that are taken",
        instead=("begin",),
        help=(
            "Starts without waiting for the empty seats, as soon as everybody who is present has said ready. Your "
            "own ready is implied.",
        ),
        examples=(Example(line="start", does="starts the match"),),
        see=("ready", "bot", "create"),
    ),
    CommandSpec(
        verb="rematch",
        group=Group.TABLE,
        where=Where.SEATED,
        changes=True,
        summary="play another match at the same table",
        instead=("restart",),
        help=(
            "After a match: opens a new one with the same rules for those who are still here, and says that you are "
            "ready for it. The others say rematch or ready too.",
        ),
        examples=(Example(line="rematch", does="asks for another match"),),
        see=("ready",),
    ),
    CommandSpec(
        verb="bot",
        group=Group.TABLE,
        where=Where.HOST,
        changes=True,
        summary="fill a free seat with a bot, or all of them after a wait",
        parameters=(Parameter(name="level", kind=Kind.LEVEL, optional=True),),
        options=(FILL,),
        instead=("addbot", "ai"),
        help=(
            "Before the match: seats a bot of the level you name. Bots see what a person in their seat would see "
            "and nothing more.",
            "With fill=SECONDS no bot comes now: if seats are still free after that time, bots take all of them. "
            "The time runs while somebody is there to wait, and begins anew when you come back after a lost "
            "connection. bot fill=off calls them off, and so does the start of the match.",
        ),
        examples=(
            Example(line="bot", does="seats a bot"),
            Example(line="bot easy", does="seats one that is easy to beat"),
            Example(line="bot hard fill=30", does="fills the seats that are still free in 30 seconds"),
            Example(line="bot fill=off", does="calls them off"),
        ),
        see=("bots", "kick", "start"),
    ),
    CommandSpec(
        verb="kick",
        group=Group.TABLE,
        where=Where.HOST,
        changes=True,
        summary="send somebody away from a seat, or from watching",
        parameters=(Parameter(name="who", kind=Kind.OCCUPANT, label="SEAT|NAME"),),
        instead=("remove",),
        help=(
            "Before a match and after it: sends a player or a bot from a seat. Nobody is sent from a seat while a "
            "match runs, and not between two holes; clocks deal with those who do not play (help clock).",
            "A watcher can be sent away at any time, by name. Players and watchers who were sent away cannot come back "
            "to your table for 5 minutes.",
        ),
        examples=(
            Example(line="kick C", does="empties seat C"),
            Example(line="kick eve", does="sends Eve away, who watches"),
        ),
        see=("bot", "host", "clock", "noplay"),
    ),
    CommandSpec(
        verb="host",
        group=Group.TABLE,
        where=Where.HOST,
        changes=True,
        summary="make another player the host of the table",
        parameters=(_SEAT,),
        help=(
            "Hands your table over to the player in another seat. A host who leaves is followed by the first "
            "player who is present.",
        ),
        examples=(Example(line="host B", does="makes the player in seat B the host"),),
        see=("create", "kick"),
    ),
    CommandSpec(
        verb="leave",
        group=Group.TABLE,
        where=Where.SEATED,
        changes=True,
        summary="give up your seat",
        instead=("stand", "part"),
        help=(
            "Leaves your table for good. In a running match the house plays your seat to the end, and in the ladder "
            "the match counts as a last place for you. If you only want to go away for a while, quit instead: your "
            "seat is kept.",
        ),
        examples=(Example(line="leave", does="gives up your seat"),),
        see=("quit", "coming back", "rated", "unwatch"),
    ),
    CommandSpec(
        verb="cut",
        group=Group.TABLE,
        where=Where.SEATED,
        changes=True,
        summary="add a text of your own to the next shuffle",
        parameters=(_TEXT,),
        instead=("shuffle",),
        help=(
            "The next deck is shuffled with a key made from the server's secret seed, to which it has already "
            "committed itself, and from the texts of all players. Any words will do, up to 200 bytes. A later cut "
            "replaces an earlier one. Nobody sees the text before the deal.",
            "If you have sealed a text, you send it with cut TEXT once you are told that sealing is closed, within 3 "
            "seconds. It must be the very text that you sealed.",
        ),
        examples=(Example(line="cut a red nose and 42", does="adds these words to the next shuffle"),),
        see=("seal", "fair"),
    ),
    CommandSpec(
        verb="seal",
        group=Group.TABLE,
        where=Where.SEATED,
        changes=True,
        summary="fix a text for the next shuffle that nobody can know yet",
        parameters=(Parameter(name="hex", kind=Kind.DIGEST, optional=True),),
        help=(
            "Sends the SHA-256 of a text instead of the text, before the next hole is due. A later seal replaces an "
            "earlier one. When the hole is due sealing is closed, and you send the text itself with cut TEXT. So not "
            "even the operator of the server can choose the deal to suit your text.",
            "The text has 16 to 200 bytes, and nobody may be able to guess it. golfnet-client and golfnet bot do all "
            "this by themselves. help fair shows how to do it by hand.",
            "seal alone shows what goes into a seal, and the whole commitment of the next deal.",
        ),
        examples=(
            Example(line="seal", does="shows the commitment, and what goes into a seal"),
            Example(line=f"seal {_SEAL}", does="seals the text behind these digits"),
        ),
        see=("cut", "fair"),
    ),
    CommandSpec(
        verb="say",
        group=Group.TALK,
        where=Where.TABLE,
        is_chat=True,
        summary="speak at your table",
        parameters=(_TEXT,),
        short=("'", '"'),
        instead=("chat", "talk"),
        help=(
            "Everything after the word is said as it stands. Players and watchers talk apart: during a hole the "
            "players do not hear what watchers say.",
        ),
        examples=(
            Example(line="say good luck", does="says good luck to your table"),
            Example(line="'good luck", does="the same"),
        ),
        see=("tell", "shout", "chat"),
    ),
    CommandSpec(
        verb="tell",
        group=Group.TALK,
        where=Where.NAMED,
        is_chat=True,
        summary="speak to one player",
        parameters=(Parameter(name="name", kind=Kind.PLAYER), _TEXT),
        instead=("whisper", "msg", "page", "privmsg"),
        help=("Says something to one player, wherever that player is. Nobody else hears it.",),
        examples=(Example(line="tell ann one more match?", does="asks Ann alone"),),
        see=("say", "mute"),
    ),
    CommandSpec(
        verb="shout",
        group=Group.TALK,
        where=Where.NAMED,
        is_chat=True,
        summary="speak to everybody in the lobby",
        parameters=(_TEXT,),
        instead=("yell", "gossip", "lobby"),
        help=("Says something to everybody who is not at a table.",),
        examples=(Example(line="shout who plays cactus?", does="asks the lobby"),),
        see=("say", "seek"),
    ),
    CommandSpec(
        verb="mute",
        group=Group.TALK,
        where=Where.NAMED,
        summary="hear no more of what a player says",
        parameters=(_MEANT, _STATE),
        instead=("ignore", "squelch", "unmute"),
        help=(
            "You no longer see what this player says, anywhere, and your table is not told when this player begins "
            "to watch. The player is not told of it. mute NAME off ends it; mute alone lists whom you have muted.",
        ),
        examples=(
            Example(line="mute bob", does="hears no more of Bob"),
            Example(line="mute bob off", does="hears Bob again"),
        ),
        see=("noplay", "chat"),
    ),
    CommandSpec(
        verb="noplay",
        group=Group.TALK,
        where=Where.NAMED,
        summary="share no table with a player",
        parameters=(_MEANT, _STATE),
        abbreviated=False,
        instead=("block", "avoid"),
        help=(
            "From now on neither of you can sit down at a table where the other one sits, seek never brings you "
            "together, and the player cannot begin to watch your table. noplay NAME off ends it; noplay alone lists "
            "whom you avoid.",
        ),
        examples=(Example(line="noplay bob", does="avoids Bob from now on"),),
        see=("mute", "kick"),
    ),
    CommandSpec(
        verb="hand",
        group=Group.ASK,
        where=Where.TABLE,
        summary="say your own cards, and the one you hold",
        text_only=True,
        instead=("mine", "layout"),
        help=("Says what lies in each of your slots, as far as you may see it, and the card you hold.",),
        examples=(Example(line="hand", does="says your cards"),),
        see=("top-card", "look", "styles"),
    ),
    CommandSpec(
        verb="top-card",
        group=Group.ASK,
        where=Where.TABLE,
        summary="say the top card of the discard pile",
        abbreviated=False,
        text_only=True,
        help=(
            "Says which card is on top of the discard pile. In speech style, at a table, the word top alone means "
            "this; the ladder is then ladder, or top with the name of a rule set.",
        ),
        examples=(Example(line="top-card", does="says the top discard"),),
        see=("hand", "top"),
    ),
    CommandSpec(
        verb="turn",
        group=Group.ASK,
        where=Where.TABLE,
        summary="say whose turn it is and what you can do now",
        text_only=True,
        instead=("whose", "actions"),
        help=("Says who is being waited for, how much time is left, and what you can do now.",),
        examples=(Example(line="turn", does="says whose turn it is"),),
        see=("clock", "hand"),
    ),
    CommandSpec(
        verb="score",
        group=Group.ASK,
        where=Where.TABLE,
        summary="say the scores so far",
        text_only=True,
        instead=("scores", "points", "totals"),
        help=("Says what everybody scored in each hole, and the totals. The lowest total wins.",),
        examples=(Example(line="score", does="says the scores"),),
        see=("history", "stats"),
    ),
    CommandSpec(
        verb="last",
        group=Group.ASK,
        where=Where.ANYWHERE,
        summary="say what happened last",
        text_only=True,
        help=(
            "Says the last thing that happened at your table once more. Cards that you have peeked at are named "
            "again only as long as nothing else was said: remembering them is the game.",
        ),
        examples=(Example(line="last", does="repeats the last event"),),
        see=("again", "look"),
    ),
    CommandSpec(
        verb="again",
        group=Group.ASK,
        where=Where.ANYWHERE,
        summary="repeat what was said to you last",
        text_only=True,
        instead=("repeat",),
        help=(
            "Repeats the last thing that was said to you, whatever it was: what happened, an answer, a refusal, a "
            "page of help. What was said before it does not come again, nor do cards that you have peeked at.",
        ),
        examples=(Example(line="again", does="repeats what was said last"),),
        see=("last",),
    ),
    CommandSpec(
        verb="log",
        group=Group.ASK,
        where=Where.TABLE,
        summary="show how the slams of the last hole were judged",
        abbreviated=False,
        help=(
            "After a hole with slams: every claim with the times that were measured for it, and how it was judged. "
            "slam log is the same.",
        ),
        examples=(Example(line="slam log", does="shows the slams of the last hole"),),
        see=("slam",),
    ),
)
