"""The terminal: one window with the picture, one command line, and the timer that redraws the picture.

The command line is empty while keys go elsewhere: text that was not sent is in its history, so up brings it back. It
also has completion; secrets in it are neither shown nor stored.
"""

import asyncio
import os
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from prompt_toolkit.application import Application
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Always, Condition, Filter
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import (
    BufferControl,
    CompletionsMenu,
    Float,
    FloatContainer,
    HSplit,
    Layout,
    Window,
)
from prompt_toolkit.layout.processors import (
    AppendAutoSuggestion,
    ConditionalProcessor,
    PasswordProcessor,
    Processor,
    Transformation,
    TransformationInput,
)
from prompt_toolkit.output import ColorDepth, Output

from golfnet.engine.cards import SEAT_LETTERS
from golfnet.protocol.commands.catalog import COMMANDS, resolve
from golfnet.protocol.commands.completion import Context, complete
from golfnet.protocol.commands.specs import CommandSpec, Group, Kind
from golfnet.protocol.errors import Refused
from golfnet.protocol.replies.replies import offer_of
from golfnet_client.model.model import Model
from golfnet_client.model.story import FRAME
from golfnet_client.screens.style import LOOKS, style_of
from golfnet_client.terminal.client import Client
from golfnet_client.terminal.keys import interrupt, press
from golfnet_client.terminal.picture import FOCUS_IN, FOCUS_OUT, PictureWindow, TerminalWindow


def color_depth() -> ColorDepth | None:
    """Return the colour depth that the environment names or the terminal is known to have, or None if it is unknown."""
    if (asked := ColorDepth.from_env()) is not None:
        return asked
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return ColorDepth.DEPTH_24_BIT
    try:
        import curses

        curses.setupterm(os.environ.get("TERM", ""))
        colours = curses.tigetnum("colors")
    except Exception:  # no terminfo on Windows, or no entry for this terminal
        return None
    if colours >= 256:
        return ColorDepth.DEPTH_8_BIT
    return ColorDepth.DEPTH_4_BIT if colours >= 8 else ColorDepth.DEPTH_1_BIT


class Terminal:
    """The prompt_toolkit application around a client; all settings but the theme are as in the last run."""

    def __init__(
        self, client: Client, *, theme: str, input: Input | None = None, output: Output | None = None
    ) -> None:
        self.client = client
        kept = client.remembered.setting
        self._looks = {name: kept(name, values) or values[0] for name, values in LOOKS.items()}
        self._looks["theme"] = theme
        self._timer: asyncio.TimerHandle | None = None
        self._is_opened = False
        """Whether the player has opened the command line on a screen where keys have other effects."""
        self._field = client.field
        """The field for which the command line is open, or None if there is none."""
        self.buffer = Buffer(
            completer=Commands(client),
            complete_while_typing=Condition(lambda: not client.types),
            history=InMemoryHistory(client.remembered.typed),
            auto_suggest=AutoSuggestFromHistory(),
            multiline=False,
        )
        control = BufferControl(
            self.buffer,
            input_processors=[
                ConditionalProcessor(PasswordProcessor(), Condition(lambda: client.hides)),
                _HideSecrets(),
                ConditionalProcessor(AppendAutoSuggestion(), Condition(lambda: not client.types)),
            ],
        )
        self._line = Window(
            control,
            height=1,
            style="class:input",
            get_line_prefix=lambda line, wrapped: [("class:prompt", f" {client.label}")],
        )
        self._picture = PictureWindow(client, self.buffer)
        root = FloatContainer(
            HSplit([self._picture, self._line]),
            [Float(CompletionsMenu(max_height=8), xcursor=True, ycursor=True)],
        )
        self.app: Application[None] = Application(
            layout=Layout(root, focused_element=self._picture),
            key_bindings=_bindings(self),
            full_screen=True,
            mouse_support=True,
            color_depth=color_depth(),
            before_render=lambda _: self.settle(),
            input=input,
            output=output,
        )
        self._paint()
        self.app.after_render += lambda _: self._wait_for_change()
        self.app.ttimeoutlen = 0.05
        self.app.timeoutlen = 0.3
        self.window = TerminalWindow(self.app.output, bell=kept("bell", ("on", "off")) == "on")

    @property
    def is_typing(self) -> bool:
        """Whether keys go to the command line."""
        return self.app.layout.has_focus(self._line)

    def settle(self) -> None:
        """Carry out the client's requests: open the command line, change colours, alert, quit."""
        client = self.client
        if client.next_look:
            name, client.next_look = client.next_look, ""
            ways = LOOKS[name]
            self._looks[name] = ways[(ways.index(self._looks[name]) + 1) % len(ways)]
            self._paint()
            client.remembered.keep_settings(**{name: self._looks[name]})
        self._settle_field()
        if client.prefill is not None:
            self.buffer.document = Document(client.prefill)
            client.prefill, self._is_opened = None, True
        elif client.menu is not None:
            self._is_opened = False
        is_typing = client.types or self._is_opened
        if is_typing is not self.is_typing:
            if not is_typing:
                self.buffer.reset(append_to_history=not secret_parts(self.buffer.text))
            self.app.layout.focus(self._line if is_typing else self._picture)
        self.window.name(client.title)
        if client.model.rings:
            client.model.rings = False
            self.window.call(client.title)
        if client.is_over and self.app.is_running and not self.app.is_done:
            self.app.exit()

    def _settle_field(self) -> None:
        """Put the text of a field that has just been opened on the command line, and clear the line after the field."""
        field = self.client.field
        if field is not self._field:
            self._field = field
            self.buffer.document = Document("" if field is None else field.text)

    def stop_typing(self) -> None:
        """Close the list of completions or, if there is none, leave the command line."""
        if self.buffer.complete_state is not None:
            self.buffer.cancel_completion()
            return
        self._is_opened = False
        self.client.cancel_typing()

    def _paint(self) -> None:
        looks = self._looks
        self.app.style = style_of(looks["theme"], looks["felt"], self.app.color_depth, looks["suits"])

    def _wait_for_change(self) -> None:
        """Schedule a redraw for when the picture next changes by itself; if it never does, run no timer."""
        if self._timer is not None:
            self._timer.cancel()
        seconds = self.client.changes_in()
        if seconds is not None and not self.app.is_done:
            self._timer = asyncio.get_running_loop().call_later(max(seconds, FRAME), self.app.invalidate)

    def accept(self) -> None:
        """Carry out the typed line; if it is refused, keep it on the command line to be corrected.

        Names, addresses and lines with secrets stay out of the history.
        """
        text = self.buffer.text
        is_remembered = not self.client.types and not secret_parts(text)
        stays = bool(self.client.typed(text))
        if is_remembered:
            self.buffer.append_to_history()
            if not stays and may_be_kept(text):
                self.client.remembered.keep_typed(text.strip())
        if not stays:
            self.buffer.reset()
            self._is_opened = False

    def complete(self) -> None:
        """Select the next completion in the menu or, before it appears, use the likeliest one."""
        buffer = self.buffer
        if buffer.complete_state is not None:
            buffer.complete_next()
            return
        first = next(iter(buffer.completer.get_completions(buffer.document, CompleteEvent())), None)
        if first is not None:
            buffer.apply_completion(first)

    def take_suggestion(self) -> None:
        """Append the suggested text, if there is any."""
        if self.buffer.suggestion is not None:
            self.buffer.insert_text(self.buffer.suggestion.text)


_NAMED: Final = (
    *("up", "down", "left", "right", "home", "end", "pageup", "pagedown"),
    *("enter", "tab", "delete", "escape"),
)
"""The keys that have the same name in prompt_toolkit."""


def _bindings(terminal: Terminal) -> KeyBindings:
    """Return the key bindings for the whole program; after each key, the client's requests are carried out.

    No bound key sequence is the beginning of another, so no key has to wait, except for escape, which waits briefly.
    """
    keys, client = KeyBindings(), terminal.client
    typing = Condition(lambda: terminal.is_typing)
    suggested = Condition(
        lambda: terminal.buffer.suggestion is not None and terminal.buffer.document.is_cursor_at_the_end
    )

    def bind(do: Callable[[], None], *names: str, when: Filter, eager: bool = False) -> None:
        def act(event: KeyPressEvent) -> None:
            do()
            terminal.settle()

        for name in names:
            keys.add(name, filter=when, eager=eager)(act)

    for name in _NAMED:
        bind(partial(press, client, name), name, when=~typing)
    bind(partial(press, client, "delete"), "backspace", when=~typing)
    bind(terminal.accept, "enter", when=typing)
    bind(terminal.complete, "tab", when=typing)
    # prompt_toolkit's own bindings would make escape wait for a second key.
    bind(terminal.take_suggestion, "right", "end", "c-e", when=typing & suggested)
    bind(terminal.stop_typing, "escape", when=typing, eager=True)  # do not wait for Alt plus a letter
    bind(partial(interrupt, client), "c-c", "c-d", "<sigint>", when=Always())
    bind(lambda: terminal.app.renderer.clear(), "c-l", when=Always())

    @keys.add(Keys.Any, filter=~typing)
    def press_any(event: KeyPressEvent) -> None:
        char = event.data
        if len(char) == 1 and char.isprintable():
            press(client, {" ": "space", "/": ":"}.get(char, char))
            terminal.settle()

    @keys.add(FOCUS_IN)
    @keys.add(FOCUS_OUT)
    def change_focus(event: KeyPressEvent) -> None:
        terminal.window.has_focus = event.key_sequence[0].key is FOCUS_IN

    return keys


class Commands(Completer):
    """A completer for command lines."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Yield the completions of the word before the cursor."""
        text = document.text_before_cursor
        typed = len(text.rpartition(" ")[2])
        for offer, meaning in complete(text, context_of(self._client.model)).items():
            yield Completion(offer, start_position=-typed, display_meta=meaning)


def context_of(model: Model) -> Context:
    """Return what a line can name now: players, tables, rule sets and so on."""
    view, lobby = model.table, model.lobby
    return Context(
        names={
            Kind.VARIANT: [row["name"] for row in lobby.variants],
            Kind.TABLE: [row["table"] for row in lobby.tables],
            Kind.PLAYER: [row["name"] for row in lobby.players],
            Kind.SEAT: SEAT_LETTERS[: len(view.seats)] if view is not None else SEAT_LETTERS,
        },
        offer=view.offer if view is not None else offer_of(()),
        seated=model.is_seated,
    )


class _HideSecrets(Processor):
    """A processor that shows secrets in a command line as stars."""

    def apply_transformation(self, transformation_input: TransformationInput) -> Transformation:
        """Return the line with its secrets replaced."""
        text = transformation_input.document.text
        parts = secret_parts(text)
        if not parts:
            return Transformation(transformation_input.fragments)
        shown = list(text)
        for start, end in parts:
            shown[start:end] = "*" * (end - start)
        return Transformation([("", "".join(shown))])


_WORD: Final = re.compile(r'(?:"[^"]*"?|[^ "])+')
"""A word of a line; quoted text is one word, even if the quotation is not finished."""


def secret_parts(line: str) -> list[tuple[int, int]]:
    """Return the ranges of secrets in an unfinished line; from the first secret on, everything is secret."""
    spec = _spec_of(line)
    if spec is None:
        return []
    options = {option.name for option in spec.options if option.secret}
    places = [place for place, parameter in enumerate(spec.parameters) if parameter.secret]
    found = []
    place = 0
    _, *words = _WORD.finditer(line, len(line) - len(line.lstrip(_PREFIX)))
    for word in words:
        name, equals, _ = word[0].partition("=")
        if equals and name.lower() in options:
            found.append((word.start() + len(name) + 1, word.end()))
        elif places and place >= places[0]:
            found.append((word.start(), len(line)))
            break
        else:
            place += 1
    return found


def may_be_kept(line: str) -> bool:
    """Return whether a typed line may be stored for the next run: it must be a command without secrets or chat."""
    spec = _spec_of(line)
    if spec is None or spec.group is Group.TALK or secret_parts(line):
        return False
    return spec.verb in COMMANDS and spec.verb not in ("cut", "name")


def _spec_of(line: str) -> CommandSpec | None:
    try:
        return resolve(line.lstrip(_PREFIX).partition(" ")[0], machine=False)
    except Refused:
        return None


_PREFIX: Final = ":/ "
"""Characters that may precede a command."""
