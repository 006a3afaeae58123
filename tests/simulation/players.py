"""The programs of a world: most choose at random among the offered actions and try other commands; some only watch.

They repeat unanswered commands with ``at=SEQ``, and check what they receive.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

import msgspec

from golfnet.server.accounts.claims import GUEST_DAYS
from tests.simulation.people import OPENED, SOUGHT, Person

if TYPE_CHECKING:
    from random import Random

    from tests.simulation.network import Line
    from tests.simulation.world import World

_PLAYS: Final = frozenset(
    ("peek", "flip", "draw", "take", "swap", "discard", "knock", "pass", "switch", "decline", "give")
)


class Player(Person):
    """A program that chooses at random among the offered actions, and now and then tries something else."""

    def __init__(self, world: World, name: str, chance: Random) -> None:
        super().__init__(world, name, chance)
        self.token = ""
        self._tokens: list[str] = []
        self._ended: list[str] = []
        """The tokens that the server says are invalid now; ``_tokens`` are the valid ones."""
        self._skipped = 0.0
        """How far the wall clock had jumped ahead when this player last logged in."""
        self.password = ""
        self._in_doubt: list[str] = []
        """Passwords whose change was never answered: they may be in force, and the token may be invalid."""
        self.table = ""
        self.seat: str | None = None
        self.state = ""
        self.oddity = chance.choice((0.0, 0.05, 0.15))
        self.sleepiness = chance.choice((0.0, 0.0, 0.1))
        self.leaves = chance.random() < 0.3
        self.slams = 0.9 if world.has_windows else 0.2
        self._deal = ("", 0)
        """The match and the number of the hole that is dealt next."""
        self._sealed = ""
        """The text that this player has sealed for that deal."""
        self._number = 0
        self._sent: dict[int, str] = {}
        self.asked_at = 0.0
        self._unanswered: list[str] = []
        self._rest = b""
        self._prompt: dict[str, Any] | None = None
        self._seq = 0
        self._hole_seq = 0
        """The number of the latest event of the hole."""
        self._is_thinking = False
        self._entering = ""
        self._may_be_late_until = 0.0
        """The time until which another node may still carry out a login that an earlier connection sent in vain."""

    # --- the connection

    def connected(self, line: Line) -> None:
        self._rest = b""
        self._unanswered = [text for text in self._sent.values() if " at=" in text]
        for text in self._sent.values():
            self._doubt(text)
        if self._entering in self._sent.values():
            self._may_be_late_until = self.world.now + self.world.late_logins
        self._sent.clear()
        self._prompt = None
        if self.password and (not self.token or self.chance.random() < 0.3):
            self._entering = f"login {self.name} {self.password}"
        else:
            self._entering = f"resume {self.token}" if self.token else f"name {self.name}"
        self.ask("hello 1")
        if self._ended and self.chance.random() < 0.2:
            self.ask(f"resume {self.chance.choice(self._ended)}")
        self.ask(self._entering)

    def ask(self, text: str) -> None:
        self._number += 1
        self._sent[self._number] = text
        self.asked_at = self.world.now
        if self.line is not None:
            self.line.judge.asked[self._number] = text
        self.send(f"{self._number} {text.removesuffix(' stale')}")

    def received(self, line: Line, data: bytes) -> None:
        if line is not self.line:
            return
        *lines, self._rest = (self._rest + data).split(b"\n")
        for each in lines:
            if each.startswith(b"{") and line is self.line:
                self._hear(msgspec.json.decode(each))

    def _hear(self, told: dict[str, Any]) -> None:
        match told["type"]:
            case "ok":
                self._done(told, self._sent.pop(told.get("id", 0), ""))
            case "error":
                self._refused(told, self._sent.pop(told.get("id", 0), ""))
            case "view":
                self._see(told)
            case "prompt":
                if told["table"] == self.table:
                    self._prompt = told
                    self._think()
            case "event":
                self._happened(told)
            case "ping":
                self.send(f"pong {told['key']}")
            case "notice" if told["code"] == "SEAT_OFFERED" and not self.table:
                self.ask(f"join {told['table']}")
            case "bye" if told["code"] == "TAKEN_OVER":
                if self.world.now >= self._may_be_late_until:
                    self.world.fail(f"the latest connection of {self.name} is closed in favour of another")
            case "bye" if told["code"] == "KICKED":
                self.world.note(self.name, "is kicked")

    def _doubt(self, asked: str) -> None:
        """Record the password that may be in force after a command whose outcome is unknown."""
        if asked.startswith(("register ", "passwd ")):
            self._in_doubt.append(asked.split()[-1])
        elif asked in ("logout", "logout all") and self.password:
            self._in_doubt.append(self.password)

    def _see(self, told: dict[str, Any]) -> None:
        if told["you"] is None and told["table"] != self.table:
            return
        self.table, self.seat, self.state = told["table"], told["you"], told["state"]
        self._seq, self._hole_seq = told["seq"], 0
        if told["state"] == "open":
            self._deal = told["match"], 1
        if told["you"] is not None:
            self.world.idle.discard(self.name)
            self._prompt = told
            self._think()
            if told["sealing_ms"] is not None:
                self._tell()

    def _happened(self, told: dict[str, Any]) -> None:
        if told["table"] != self.table:
            return
        self._seq = told["seq"]
        match told["event"]:
            case "closed":
                self._left()
            case "left" if told.get("seat") == self.seat and told.get("name") == self.name:
                self._left()
            case "match_started":
                self.state = "playing"
            case "committed":
                self._deal, self._sealed = (told["match"], told["hole"]), ""
                if self.seat is not None and self.chance.random() < 0.3:
                    self._seal()
            case "seals_closed":
                self._tell()
            case "dropped" | "house_plays" if self.world.idle and self.state == "playing":
                self.ask(f"seat {told['seat']} {self.chance.choice(sorted(self.world.idle))}")
            case "match_ended":
                self.state = "finished"
                self.world.after(self.chance.uniform(0.2, 2.0), self._after_match)
            case "drew" | "took" | "swapped" | "discarded" | "turn" | "flipped" | "knocked" | "slammed":
                self._hole_seq = told["seq"]

    def _left(self) -> None:
        self.world.board.pop(self.table, None)
        self.table, self.seat, self._prompt = "", None, None
        self.world.after(self.chance.uniform(0.5, 3.0), self._look_around)

    def _seal(self) -> None:
        match, hole = self._deal
        self._sealed = f"a text of {self.name}, the {self._number}th"
        sealed = f"golfnet-deal-v2 seal\n{match}\n{hole}\n{self.name}\n{self._sealed}"
        self.ask(f"seal {hashlib.sha256(sealed.encode()).hexdigest()}")

    def _tell(self) -> None:
        """Reveal the sealed text, usually in time."""
        text = self._sealed
        if text and self.line is not None:
            self.world.after(self.chance.choice((0.1, 1.0, 2.0, 5.0)), lambda: self.ask(f"cut {text}"))

    def _done(self, told: dict[str, Any], asked: str) -> None:
        verb = asked.split(" ", 1)[0]
        if verb == "resume" and asked.split()[1] in self._ended:
            self.world.fail(f"{self.name} logs in with an invalidated token")
        self._note_tokens(told.get("token", ""), asked)
        if verb == "login":
            self.password, self._in_doubt = asked.split()[-1], []
            if self.chance.random() < 0.5:
                self.ask("logout others")
        if verb in ("name", "resume", "login"):
            self._entered(told)
        elif verb in ("register", "passwd"):
            self.password = asked.split()[-1]
        elif verb == "join" and self.chance.random() < 0.6:
            if self._deal[0] and self.chance.random() < 0.5:
                self._seal()
            else:
                self.ask(f"cut {self.name} {self._number}")
        elif verb in ("create", "seek"):
            self.world.board[told["table"]] = asked
            if verb == "create" and self.chance.random() < 0.3:
                self.ask("bot easy")
            if verb == "create":
                self.world.after(self.chance.uniform(1, 6), lambda: self._as_host(told["table"]))
        elif verb == "leave":
            self._left()
        if verb == "name" and self.world.has_accounts:
            self.ask(f"register secret{self.chance.randrange(1000)}")

    def _note_tokens(self, given: str, asked: str) -> None:
        """Record which tokens are valid now."""
        ended = []
        if asked == "logout":
            ended = [self.token]
        elif asked == "logout all" or asked.startswith(("register ", "passwd ")):
            ended = self._tokens
        elif asked == "logout others":
            ended = [token for token in self._tokens if token != self.token]
        if self.line is not None:
            self.line.judge.ended(ended, asked)
        self._ended += ended
        self._tokens = [token for token in self._tokens if token not in ended]
        if given:
            self._tokens.append(given)
            self.token = given
        elif self.token in ended:
            self.token = ""

    def _entered(self, told: dict[str, Any]) -> None:
        self._skipped = self.world.skipped
        at = told.get("table", "")
        if self.table and at != self.table:
            self.table, self.seat, self._prompt = "", None, None
        if at:
            for line in self._unanswered:
                self.ask(line)
        elif not self.table:
            self.world.after(self.chance.uniform(0.1, 1.0), self._look_around)
        self._unanswered = []

    def _refused(self, told: dict[str, Any], asked: str) -> None:
        verb, code = asked.split(" ", 1)[0], told["code"]
        if code == "MOVED":
            self._doubt(asked)
            if " at=" in asked and not asked.endswith(" stale"):
                self.ask(asked)
        if verb == "resume" and asked.split()[1] in self._ended:
            return
        if code == "LOGIN_FAILED":
            self._in_doubt = [password for password in self._in_doubt if not asked.endswith(password)]
        if self._in_doubt and code in ("BAD_TOKEN", "LOGIN_FAILED"):
            self.ask(f"login {self.name} {self._in_doubt[-1]}")
        elif verb == "resume" and code == "BAD_TOKEN" and self._may_be_forgotten():
            self.ask(f"name {self.name}")
        elif verb == "resume" and code == "BAD_TOKEN":
            self.world.fail(f"the token of {self.name} is no longer accepted")
        elif verb == "login" and code == "LOGIN_FAILED" and asked.endswith(self.password):
            self.world.fail(f"the password of {self.name} is no longer accepted")
        elif verb == "name" and code == "NAME_TAKEN":
            self.name += "x"  # the answer to the first attempt was lost
            self.world.after(1.0, self.drop)
        elif verb in ("join", "watch", "create", "seek"):
            self.world.board.pop(asked.split(" ")[1], None)
            self.world.after(2.0, self._look_around)
        elif verb == "leave" and code == "NOT_SEATED":
            self._left()  # the answer to an earlier leave was lost
        elif verb in _PLAYS or verb == "slam":
            self._think()
        elif verb in ("name", "resume", "login"):
            self.world.after(2.0, self.drop)

    def _may_be_forgotten(self) -> bool:
        away = self.world.skipped - self._skipped
        return self.seat is None and not self.password and away >= GUEST_DAYS * 86400.0

    # --- decisions

    def _look_around(self) -> None:
        """Find something to do while not at a table."""
        if self.line is None or self.table or self.has_gone or self.world.is_calm:
            return
        self.world.idle.add(self.name)
        roll, chance = self.chance.random(), self.chance
        others = [table for table, how in self.world.board.items() if how]
        if others and roll < 0.75:
            self.ask(f"join {chance.choice(others)}{chance.choice(('', ' wait=on'))}")
        elif roll < 0.85:
            self.ask(
                f"seek {chance.choice(SOUGHT)} holes=1{chance.choice((' seats=2', ' fill=1 level=random'))}"
            )
        else:
            opened = [how for how in OPENED if "slam" in how or not self.world.has_windows]
            self.ask(f"create {chance.choice(opened)}")

    def _as_host(self, table: str) -> None:
        if self.table == table and self.state == "open" and self.line is not None:
            self.ask("start" if self.chance.random() < 0.8 else "ready")
            self.world.after(5.0, lambda: self._as_host(table))

    def _after_match(self) -> None:
        if not self.table or self.line is None:
            return
        self.ask(self.chance.choice(("rematch", "leave", "leave", "history", "stats", f"top {SOUGHT[0]}")))
        self.world.after(5.0, lambda: None if self.world.is_calm else self._done_with_match())

    def _done_with_match(self) -> None:
        if self.table and self.state == "finished" and self.line is not None:
            self.ask("leave")

    def _think(self) -> None:
        if not self._is_thinking and self._prompt is not None and self._prompt["actions"]:
            self._is_thinking = True
            pause = 12.0 if self.chance.random() < self.sleepiness else self.chance.uniform(0.05, 0.8)
            self.world.after(pause, self._act)

    def _act(self) -> None:
        self._is_thinking = False
        prompt = self._prompt
        if self.is_asleep or prompt is None or not prompt["actions"] or self.line is None or not self.table:
            return
        if self.chance.random() < self.oddity and not self.world.is_calm:
            self._do_something_odd()
        if self.chance.random() < 0.04 and self._ask_stale(prompt):
            return
        line = str(self.chance.choice(prompt["actions"]))
        verb = line.split(" ", 1)[0]
        if verb == "slam":
            line = f"slam {self.chance.choice(prompt['targets'])}" if prompt["targets"] else "pass"
            if "pass" in prompt["actions"] and self.chance.random() > self.slams:
                line = "pass"
        elif verb == "switch":
            line = f"switch {' '.join(self.chance.sample(prompt['targets'], 2))}"
        elif verb in ("ready", "rematch") and self.state == "finished" and self.chance.random() < 0.7:
            return
        elif verb == "cut":
            line = f"cut something {self._number}"
        self._prompt = None
        if verb in _PLAYS and self.chance.random() < 0.5:
            line += f" at={self._seq}"
        self.ask(line)
        self.world.after(3.0, self._still_here)

    def _still_here(self) -> None:
        """Ask for the view of the table if the last command had no effect."""
        if self._prompt is None and self.table and self.line is not None and not self._sent:
            self.ask("look")

    def _ask_stale(self, prompt: dict[str, Any]) -> bool:
        """Send an allowed action with the number of an earlier event; return whether that was possible."""
        plays = [each for each in prompt["actions"] if each.split(" ")[0] in _PLAYS - {"switch"}]
        if not plays or self._hole_seq < 2:
            return False
        self.ask(f"{self.chance.choice(plays)} at={self._hole_seq - 1} stale")
        return True

    def _do_something_odd(self) -> None:
        chance = self.chance
        roll = chance.random() < 0.5
        match chance.randrange(16):
            case 0:
                self.ask("quit")
            case 1:
                self.ask("say hello")
            case 2:
                self.ask("look")
            case 3 if not self.password:
                self.ask(f"register secret{chance.randrange(1000)}")
            case 4 if self.password:
                self.ask(f"passwd {self.password} secret{chance.randrange(1000)}")
            case 5 if self.leaves:
                self.ask("leave")
            case 6:
                self.ask("who")
                self.ask("tables")
            case 7:
                self.drop()
            case 8:
                self.ask(
                    chance.choice(("logout", "logout all")) if self.password and roll else "logout others"
                )
            case 9:
                self.ask(f"cut {'x' * chance.randrange(1, 40)}{self._number}")
            case 10:
                self.ask(f"kick {chance.choice('ABC')}")
            case 11:
                self.ask(chance.choice(("draw", "take 9", "swap 99", "knock", "pass", "nonsense", "give 1")))
            case 12 if self.line is not None:
                self.line.end_input()
            case 13:
                for _ in range(80):
                    self.ask(f"shout {'loud ' * 150}")
            case 14:
                self.ask(f"cut mine {self._number}")
                self.ask("ready")
            case _:
                whom = chance.choice(sorted(self.world.idle) or ["nobody"])
                self.ask("shout here I am" if roll else f"invite {whom}")

    @property
    def unanswered(self) -> str:
        """A command that was sent long ago and never answered; empty if there is none."""
        if self.line is None or self.line.was_cut or self.world.now - self.asked_at < 5:
            return ""
        return next(iter(self._sent.values()), "")

    def wind_up(self) -> None:
        if self.has_gone:
            return
        if self.line is None:
            self.start()
            self.world.after(3.0, self.wind_up)
        elif self.table:
            self.ask("leave")
            self.world.after(3.0, self.wind_up)
        else:
            self.has_gone = True
            self.ask("quit")


class Watcher(Player):
    def _look_around(self) -> None:
        if self.line is None or self.has_gone or self.seat is not None or self.world.is_calm:
            return
        self.world.idle.add(self.name)
        if self.world.board:
            self.ask(f"watch {self.chance.choice(list(self.world.board))}")
            if self.chance.random() < 0.3:
                self.ask("look")
        self.world.after(self.chance.uniform(2.0, 8.0), self._look_around)

    def wind_up(self) -> None:
        if self.seat is not None:
            super().wind_up()
            return
        self.has_gone = True
        if self.line is not None:
            self.ask("quit")
