"""The commands of play: each line that asks the rules for something."""

from functools import partial
from typing import Final

from golfnet.protocol.commands.specs import CommandSpec, Example, Group, Kind, Parameter, Where

_play: Final = partial(CommandSpec, group=Group.PLAY, where=Where.SEATED, changes=True, frequent=True)

_OWN_SLOT: Final = Parameter(name="slot", kind=Kind.SLOT)

PLAY_VERBS: Final = (
    _play(
        verb="peek",
        summary="look at face-down cards, at the start or by a power",
        parameters=(Parameter(name="positions", kind=Kind.POSITION, label="POSITION", repeated=True),),
        instead=("spy", "peep"),
        help=(
            "At the start of a hole some rule sets let you look at some of your own cards: name their slots, one at "
            "a time or all at once. Only you see them, and only this once, so remember what they are.",
            "In cactus a jack or queen that your turn puts on the discard pile gives you a power, and one use of it "
            "is to peek at any one face-down card on the table, yours or another's.",
        ),
        examples=(
            Example(line="peek 3 4", does="looks at your bottom row at the start of a hole"),
            Example(line="peek B2", does="looks at slot 2 of seat B, by a power"),
        ),
        see=("positions", "switch", "decline"),
    ),
    _play(
        verb="flip",
        summary="turn up one or more of your own cards",
        parameters=(Parameter(name="slots", kind=Kind.SLOT, label="SLOT", repeated=True),),
        short=("f",),
        instead=("turnup", "reveal"),
        help=(
            "Turns your own face-down cards up for everybody to see. Rule sets use it in up to three places: to "
            "choose the cards you begin with, after you refused a card from the stock, and (with reveal=on) as a "
            "whole turn.",
            "After a refused stock card you turn up one card, or say pass to turn up none.",
        ),
        examples=(
            Example(line="flip 1 5", does="turns up two cards at the start of a hole"),
            Example(line="f 6", does="turns up slot 6 after a refused stock card"),
        ),
        see=("pass", "rules"),
    ),
    _play(
        verb="draw",
        summary="draw the top card of the stock",
        short=("d",),
        instead=("pick", "stock", "hit"),
        help=(
            "Begins your turn with the top card of the face-down stock. Only you see it. Then put it into your "
            "layout with swap SLOT, or lay it on the discard pile with discard.",
        ),
        examples=(Example(line="d", does="draws a card"),),
        see=("take", "swap", "discard"),
    ),
    _play(
        verb="take",
        summary="take the top card of the discard pile",
        parameters=(Parameter(name="slot", kind=Kind.SLOT, optional=True),),
        short=("t",),
        instead=("grab", "pickup"),
        help=(
            "Begins your turn with the face-up card on top of the discard pile. It has to go into your layout; it "
            "cannot be laid back. Name the slot at once, or take the card and then say swap SLOT.",
        ),
        examples=(
            Example(line="t 3", does="takes the top discard and puts it into slot 3"),
            Example(line="take", does="takes it and leaves the slot for the next command"),
        ),
        see=("draw", "swap"),
    ),
    _play(
        verb="swap",
        summary="put the card you hold into a slot",
        parameters=(_OWN_SLOT,),
        short=("s",),
        instead=("replace", "place", "put", "keep", "exchange"),
        help=(
            "Puts the card you hold into one of your slots. The card that lay there goes face up on the discard "
            "pile, and you see it only then if it lay face down.",
            "While you hold a card, the number of a slot alone on a line does the same.",
        ),
        examples=(
            Example(line="swap 3", does="puts the card you hold into slot 3"),
            Example(line="s 3", does="the same"),
        ),
        see=("draw", "discard", "short"),
    ),
    _play(
        verb="discard",
        summary="lay the stock card you hold on the discard pile",
        short=("x",),
        instead=("drop", "throw", "refuse", "reject"),
        help=(
            "Refuses the card you have just drawn from the stock: it goes face up on the discard pile and your "
            "layout stays as it is. A card taken from the discard pile cannot be refused.",
            "What follows depends on the rule set: the turn ends, or you may flip a card, or a jack or queen gives "
            "you a power.",
        ),
        examples=(Example(line="x", does="discards the card you hold"),),
        see=("draw", "swap", "flip"),
    ),
    _play(
        verb="knock",
        summary="knock instead of a turn; the others have one more each",
        short=("k",),
        instead=("cactus", "close"),
        help=(
            "Instead of drawing or taking you say that you are content. Every other seat has one more turn, then "
            "all cards are turned up and counted. Nobody can knock a second time in the same hole.",
            "In cactus a knocker with more than 5 points counts double. Other rule sets may set a price for a "
            "knock that was not the best; rules shows it.",
        ),
        examples=(Example(line="knock", does="brings on the end of the hole"),),
        see=("rules", "options"),
    ),
    _play(
        verb="pass",
        summary="turn up no card, or let a slam window go by",
        short=("p",),
        instead=("skip", "fold"),
        help=(
            "After a refused stock card: turns up none of your cards. While a slam window is open: says that you "
            "will not slam on this discard; when everybody has passed, play goes on at once.",
            "A whole turn cannot be passed.",
        ),
        examples=(Example(line="p", does="passes"),),
        see=("flip", "slam"),
    ),
    _play(
        verb="switch",
        summary="exchange two face-down cards unseen, by a power",
        parameters=(
            Parameter(name="first", kind=Kind.POSITION, label="POSITION"),
            Parameter(name="second", kind=Kind.POSITION, label="POSITION"),
        ),
        help=(
            "In cactus a jack or queen that your turn puts on the discard pile gives you a power, and one use of it "
            "is to exchange any two face-down cards on the table without looking at them. They may be yours, "
            "others', or both one seat's. Everybody sees which two places were touched.",
        ),
        examples=(
            Example(line="switch 2 B4", does="exchanges your slot 2 with slot 4 of seat B"),
            Example(line="switch A1 C3", does="exchanges cards of two other seats"),
        ),
        see=("positions", "peek", "decline"),
    ),
    _play(
        verb="decline",
        summary="leave a power unused",
        instead=("no", "nothing"),
        help=("Leaves the power of the jack or queen you discarded unused. Play goes on.",),
        examples=(Example(line="decline", does="uses no power"),),
        see=("peek", "switch"),
    ),
    _play(
        verb="slam",
        summary="claim that a face-down card equals the discard",
        parameters=(
            Parameter(name="position", kind=Kind.POSITION),
            Parameter(name="discard", kind=Kind.DISCARD, label="#N", optional=True),
        ),
        short=("!",),
        instead=("slap", "snap", "match"),
        help=(
            "In cactus, when a turn puts a card on the discard pile, everybody may at once throw a face-down card of "
            "the same rank onto it, whoever the card belongs to. Name where it lies. Right, and it is gone; for "
            "another's card you then give one of yours. Wrong, and everybody sees the card and you get one more.",
            "#N is the number of the discard you mean. Without it the last one shown to you is meant, so that a "
            "slam which comes late cannot fall on the wrong card.",
            "slam log shows how the claims of the last hole were measured and judged.",
        ),
        examples=(
            Example(line="slam B3", does="claims that slot 3 of seat B has the rank of the discard"),
            Example(line="!2", does="the same for your own slot 2, as short as can be"),
            Example(line="slam 2 #12", does="only if discard number 12 is still the one"),
        ),
        see=("pass", "give", "log", "positions"),
    ),
    _play(
        verb="give",
        summary="give one of your cards for one you slammed away",
        parameters=(_OWN_SLOT,),
        short=("g",),
        help=(
            "After you slammed another's card away you owe its owner one of yours. It goes face down and unseen "
            "into the empty slot. Everything else waits until you have chosen.",
        ),
        examples=(Example(line="give 1", does="gives the card in your slot 1"),),
        see=("slam",),
    ),
)
