"""The manual: the help on commands and topics, in text files that can be edited without knowing Python.

``commands/GROUP.md`` has a page for each command of a group, ``topics/NAME.md`` one topic. A file consists of blocks
with a blank line between them:

- ``# draw`` begins a page: the verb of a command, or the title of a topic.
- Text is a paragraph; its line breaks do not matter.
- A line followed by lines that begin with ``: `` is a row of a table. The table of a command has its examples.
- Lines that begin with four spaces stay unchanged.
- ``See also: rules, short`` names related pages, ``Other names: card, suits`` other words for the page.
- ``[error codes]`` alone is a list that the program generates.

Settings and constants of a server are placeholders with a form: ``{grace:time}``, ``{hosts.BAN_SECONDS:time}``.
``golfnet.protocol.commands.pages`` has the forms, ``golfnet.server.commands.manual`` the values.
"""

from importlib.resources import files


def read_files() -> dict[str, str]:
    """Return the text of every file of the manual, by its name without suffix, such as ``topics/fair``."""
    return {
        f"{folder}/{file.name.removesuffix('.md')}": file.read_text(encoding="utf-8")
        for folder in ("commands", "topics")
        for file in files(__name__).joinpath(folder).iterdir()
        if file.name.endswith(".md")
    }
