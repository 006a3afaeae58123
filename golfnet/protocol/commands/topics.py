"""Help on what is no command: topics, each as paragraphs and tables of two columns.

What the text says of rules and limits is said as it is by default; a table's own rules are printed by ``rules``.
Topics that list other tables (options, codes, short forms, settings) get those lists from ``help``.
"""

from typing import Final

from msgspec import Struct

Block = str | tuple[tuple[str, str], ...]
"""A paragraph, or a table of two columns; a paragraph that begins with two spaces stands as it is."""


class Topic(Struct, frozen=True, kw_only=True):
    """One page of help; ``names`` are other words for it, ``see`` related pages."""

    title: str
    names: tuple[str, ...] = ()
    blocks: tuple[Block, ...]
    see: tuple[str, ...] = ()


TOPICS: Final[dict[str, Topic]] = {
    "cards": Topic(
        title="How cards are written",
        names=("card", "suits", "ranks"),
        blocks=(
            "A card is its rank and the letter of its suit: spades S, hearts H, diamonds D, clubs C.",
            (
                ("7H", "the seven of hearts"),
                ("10D", "the ten of diamonds"),
                ("AS JC QH KD", "ace, jack, queen and king"),
                ("0S 1S", "zero and one, in the deck of cactus"),
                ("*", "a joker"),
            ),
            "In a layout a card may also lie face down:",
            (
                ("?", "a face-down card"),
                ("?7H", "a face-down card that you may still be shown (recall=always)"),
                ("-", "an empty place"),
            ),
            "set cards changes how you are shown cards: symbols, letters or words. What a card counts depends on "
            "the rule set; rules NAME tells.",
        ),
        see=("positions", "styles", "rules"),
    ),
    "positions": Topic(
        title="Slots and positions",
        names=("position", "slots", "slot", "seats"),
        blocks=(
            "The cards before you lie in slots. Slots are numbered from 1, left to right, the top row first:",
            "  1 2        1 2 3\n  3 4        4 5 6",
            "Seats are letters: A, B, C and so on, clockwise. A position names a card anywhere on the table by "
            "seat and slot, such as B3. A number alone is one of your own slots.",
            "Slots keep their numbers when a card is gone; a card you get as a penalty lies in a new one.",
        ),
        see=("cards", "peek", "slam"),
    ),
    "clock": Topic(
        title="Clocks, and what the house does when one runs out",
        names=("clocks", "timeout", "timeouts", "time"),
        blocks=(
            "You have 60 seconds for each decision, unless the host chose otherwise (create with clock=SECONDS, 0 "
            "for no clock). The server keeps the time. You are told when half of it is left, and when 10 seconds "
            "are.",
            "When the time is over the house decides for you, always safely:",
            (
                ("start of a hole", "the first cards that may be chosen"),
                (
                    "start of a turn",
                    "draws and discards; where nothing can be drawn, takes into the first slot that may be replaced",
                ),
                (
                    "holding a card",
                    "discards it; a card that was taken goes into the first slot that may be replaced",
                ),
                ("after refusing", "turns up no card"),
                ("power", "declines it"),
                ("gift", "gives the first card"),
                ("slam window", "passes; it is open for 3 seconds unless slam_window says otherwise"),
            ),
            "After the third time-out in a row the house plays your seat. You get it back when you play in your turn, "
            "or with ready at any time. Only what the rules allow counts as playing, and only playing ends the row of "
            "time-outs: talk and refused commands do not. If you take your seat back three times in a row and never "
            "play, you get it back only by playing in your turn, or after the hole.",
            "Between two holes there is a pause of 15 seconds (pause=SECONDS), less if everybody says ready.",
        ),
        see=("coming back", "ready", "create", "rated"),
    ),
    "slam": Topic(
        title="Slams: who is first",
        names=("slams", "race", "order", "lot"),
        blocks=(
            "When several players slam on the same discard, somebody has to say who was first. The host chooses how "
            "with slam=...:",
            (
                (
                    "race",
                    "the fastest. Reactions count, not cables: from each time the server takes off the round trip "
                    "that it has measured on that connection lately, up to 100 ms; up to 30 ms where only the "
                    "program's own answers tell it, as behind some proxies. Nothing a program says about its delay "
                    "is believed. Who is further away is told before the match starts.",
                ),
                (
                    "order",
                    "claims are sealed until the window closes, then judged clockwise from the discarder's "
                    "left. You have one claim, and time to think.",
                ),
                ("lot", "sealed as well, and judged in an order drawn from the deal's key."),
                ("off", "no slams at all."),
            ),
            "In a race, a slam sooner than 120 ms after its card came to you is a false start, for nobody is that "
            "fast: you are out for this card, at no cost. Reactions within 15 ms are equal: the deal's lot decides.",
            "What a race cannot prove: whoever rewrites the packets of their own connection can look further away "
            "than they are, and so up to 100 ms quicker. Where you do not trust each other, choose order or lot.",
            "With a screen reader, or for a quiet evening, order is the mode to choose: nobody wins by hearing or "
            "typing faster.",
            "A right slam ends the race for that discard. After that there is a quarter of a second for others who "
            "were on their way: their card is shown and put back, and costs a penalty only if its rank is wrong.",
        ),
        see=("log", "pass", "clock"),
    ),
    "fair": Topic(
        title="Fair deals: what is proved, and what is not",
        names=("fairness", "shuffle", "seed", "commitment", "verify"),
        blocks=(
            "Before each hole the server draws a secret seed and publishes a fingerprint of it, the commitment. "
            "Then players may cut: each adds words of their own. The shuffle follows from the seed, the cuts, the "
            "names of the players and the rules, by a published method. When the hole ends, seed and cuts are "
            "shown, so that anybody can repeat the shuffle and compare.",
            "What that proves: the deck was not changed after the deal, every card came from it, and every rule was "
            "kept. golfnet verify checks all of it from the record of a match.",
            "What a plain cut does: no other player can choose the deal. But the operator knows the seed and sees "
            "your text as soon as you send it. An operator who also has a seat at the table could then try many "
            "texts for that seat and keep the one with the best cards.",
            "What a seal adds: you send only the fingerprint of your text. When the hole is due, sealing is closed, "
            "all other texts are shown, and only then you send yours. Nobody can choose a text that suits yours any "
            "more, not even the operator. golfnet-client and golfnet bot seal by themselves, keep what they saw, and "
            "compare it with the deal when the hole ends.",
            "What remains: who sealed a text can keep it back. The hole is then dealt without it after 3 seconds, and "
            "everybody is told who it was. So such a seat can choose between two deals, but not unseen. And the "
            "protection is yours only if you seal a text yourself.",
            "It does not prove that nobody looked. The server has to know the cards, so whoever runs it can look at "
            "them during play, and could tell a friend. Nor does it keep players from talking to each other "
            "elsewhere. Play with people you trust, on a server you trust.",
            "If nobody cuts, the seed alone decides. It was still fixed before the deal, but the server could have "
            "drawn many and kept one it liked.",
            "To seal a text by hand, ask seal for the match, the hole, your name and the commitment, and in a shell "
            "(here for match m1, hole 1 and the name Ann):",
            "  text=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n')\n"
            "  printf 'golfnet-deal-v2 seal\\n%s\\n%s\\n%s\\n%s' m1 1 Ann \"$text\" |\n"
            "    sha256sum\n"
            '  echo "cut $text"',
            "Send the 64 digits with seal, and the line with cut when you are told that sealing is closed. Note the "
            "whole commitment and the list of seals that is shown then, and compare both with the record.",
        ),
        see=("cut", "seal", "record"),
    ),
    "styles": Topic(
        title="How things are shown to you",
        names=("style", "screenreader", "settings", "prefixes"),
        blocks=(
            "art draws layouts as small pictures, plain as aligned text. speech is made for screen readers: no "
            "pictures and no columns, cards as words, one thing in a line, nothing said twice. There everything "
            "can be asked for by a short word: hand, top, turn, score, last, again.",
        ),
        see=("set", "hand", "slam"),
    ),
    "chat": Topic(
        title="Talking",
        names=("talking", "talk"),
        blocks=(
            (
                ("say TEXT", "to your table; ' before the text does the same"),
                ("tell NAME TEXT", "to one player"),
                ("shout TEXT", "to everybody who is at no table"),
                ("mute NAME", "to hear a player no more; mute NAME off ends it"),
                ("noplay NAME", "to share no table with a player; noplay NAME off ends it"),
            ),
            "Players and watchers talk apart: while a hole is played the players hear nothing of what watchers say, "
            "since watchers see what both sides show. Text is taken as it stands to the end of the line; what could "
            "disturb somebody's screen is taken out of it.",
        ),
        see=("say", "tell", "mute"),
    ),
    "coming back": Topic(
        title="Losing the connection, and coming back",
        names=("back", "reconnecting", "lost", "grace", "dropped", "away"),
        blocks=(
            "When your connection breaks off your seat is kept, with your cards and the card you hold. Everybody at "
            "the table sees that you are gone and for how long you are waited for: 2 minutes, unless the operator "
            "chose otherwise. Your clock runs on meanwhile.",
            "After that, or when you drop out for the third time in a match, the house plays your seat with a cautious "
            "bot, which has seen what you have seen of the hole and no more, and gives it back the moment you return. "
            "A match that ends while the house plays for you is a last place in the ladder. Before a match begins the "
            "seat is simply free again.",
            "To come back, connect again, from anywhere:",
            (
                ("resume TOKEN", "as a guest, with the token you were given with your name"),
                ("login NAME", "with an account"),
            ),
            "You are back at the very decision you left. If your old connection is still open it is closed. If you "
            "typed a new name first, type one of these all the same: the new name is given up. leave is different: "
            "it gives your seat up for good.",
        ),
        see=("resume", "login", "clock"),
    ),
    "rated": Topic(
        title="Rated matches: what counts for the ladder, and what leaving costs",
        names=("rated matches", "unrated", "forfeit", "forfeits"),
        blocks=(
            "Accounts and guests are rated apart, for each rule set, by their places in matches with at least two of "
            "them. A match counts if it was played as the rule set has it, with a clock of at most 5 minutes; only the "
            "number of seats, packs and holes, the target and the first dealer may be changed.",
            "Nobody gains by leaving, or by letting the others wait:",
            (
                ("you leave", "a last place, whatever the house makes of your cards"),
                (
                    "you are gone at the end",
                    "the same: the house plays your seat when the match ends, because you did not play for three "
                    "clocks or did not come back in time",
                ),
                ("you come back in between", "nothing: your place counts"),
                ("several leave", "the first to leave is the last; who leaves later is ranked before"),
                (
                    "everybody leaves",
                    "the match is broken off and counts all the same: the last to leave is first",
                ),
                ("it is broken off otherwise", "it counts for nobody"),
                ("the server was restarted", "who does not come back in time after that is not rated"),
            ),
            "Totals and places are told and recorded as they were played. history shows who left, and stats how often "
            "a player did.",
        ),
        see=("top", "leave", "coming back", "clock", "stats"),
    ),
    "telnet": Topic(
        title="Which program to use",
        names=("nc", "netcat", "putty", "clients", "client"),
        blocks=(
            "Anything that sends lines will do: nc, telnet, PuTTY, a MUD client. On the plain port the server sends "
            "nothing but text until your program speaks telnet, or you say telnet on; there is a second port that "
            "speaks telnet at once (7778 unless the operator chose another).",
            "Where telnet is spoken, passwords are not shown as you type them, lines fit your window, and a program "
            "that understands GMCP gets the objects of machine mode beside the text. Line mode stays: your own "
            "program lets you edit a line before you send it.",
            "golfnet-client is a full screen for it all.",
        ),
        see=("styles", "machine"),
    ),
    "bots": Topic(
        title="Bots",
        names=("computer", "levels"),
        blocks=(
            "Before a match its host fills free seats with bot LEVEL, and kick SEAT empties one again. The levels, "
            "the weakest first; bot alone takes medium:",
            (
                ("random", "does anything that is allowed"),
                ("easy", "takes low cards and pairs, and forgets what it has looked at"),
                ("medium", "counts the cards it has seen and weighs every choice by its points"),
                ("hard", "forgets nothing, looks ahead to the end of the hole, and knows when to end it"),
            ),
            "With fill=SECONDS, in seek, create or bot, bots wait for people: only if seats are still free after that "
            "time do they take them. seek six-card seats=4 fill=30 plays with whoever comes in half a minute.",
            "A bot sees what a person in its seat would see, takes a moment over each choice, and slams no faster "
            "than people do. Nobody waits for it to say ready.",
            "Bots do not play among themselves: when the last person leaves, the match is broken off and the table "
            "closes. Whoever is only cut off has not left: the match goes on, and the seat can be taken up again.",
        ),
        see=("bot", "seek", "kick", "coming back"),
    ),
    "machine": Topic(
        title="How programs speak",
        names=("program", "programs", "protocol", "json", "api"),
        blocks=(
            "A program sends hello 1, skips lines until the first that begins with {, and from then on reads one "
            "JSON object a line. It sends the same commands as people do, as whole words, each with a number before "
            "it if it likes: the number comes back as id in the one ok or error that answers the command.",
            (
                ("17 take 3", "answered by an ok or error with the id 17, after the events it causes"),
                ("swap 3 at=58", "refused as STALE if the hole has gone on since event 58"),
                ("look", "answered by a view: everything this peer may see, with seq"),
                ("pong KEY", "answers a ping object; the one command without an answer"),
            ),
            "Every view and prompt lists in actions the exact lines that may be sent now, so a program can play "
            "without knowing a rule; switch and slam stand there as bare words, and targets has their positions. "
            "seq numbers a table's events alike for all viewers; after a gap, look again.",
            "Unknown keys, events and types are to be ignored. The protocol page has it all.",
        ),
        see=("codes", "hello", "ping"),
    ),
    "limits": Topic(
        title="How much you may send",
        names=("limit", "rate", "rates", "flood"),
        blocks=(
            "Nobody reaches these limits by hand. A program reads them in welcome, as they are on this server.",
            (
                ("10 commands a second", "one more is refused as RATE_LIMITED, with the time to wait"),
                (
                    "100 refused so in 10 seconds",
                    "one more, and the server says FLOOD and closes the connection",
                ),
                ("8 lines of chat in 10 seconds", "say, tell and shout together"),
                ("1024 bytes in a line", "a longer one is thrown away and answered LINE_TOO_LONG"),
                ("10 tables to watch", "unwatch TABLE makes room for another"),
                (
                    "256 KiB waiting for you",
                    "who does not read them is disconnected and comes back to the whole table",
                ),
            ),
            "Lines that come faster than they are carried out wait in your own computer; their order stays.",
        ),
        see=("codes", "machine"),
    ),
    "options": Topic(
        title="Options of a table",
        names=("option", "houserules"),
        blocks=(
            "create and seek take options as name=value: create six-card holes=18 final_turn=on. Each rule set has "
            "its own values to begin with; rules NAME shows them. What cannot be played is refused, with the "
            "reason.",
        ),
        see=("create", "variants", "rules"),
    ),
    "short": Topic(
        title="Short forms",
        names=("abbreviations", "shortcuts", "aliases", "keys"),
        blocks=(
            "The beginning of a command will do where it fits no other: dr is draw, swi is switch. Where it fits "
            "several you are told which. Some commands have a short form of their own:",
        ),
        see=("commands",),
    ),
    "codes": Topic(
        title="Error codes",
        names=("code", "errors", "error"),
        blocks=(
            "A refused command is answered with a code and a sentence. Programs read the code; help and the code "
            "explains one.",
        ),
        see=("machine",),
    ),
}
"""Every topic by its name, in the order of lists."""
