"""The manual: what ``help`` says about commands and topics, as text files that need no Python to be edited.

``commands/GROUP.md`` has a page for each command of a group, ``topics/NAME.md`` one topic. A file is made of blocks
with a blank line between them:

- ``# draw`` begins a page: the verb of a command, or the title of a topic.
- Text is a paragraph, however its lines are broken.
- A line, and below it lines that begin with ``: ``, is the row of a table. The table of a command has its examples.
- Lines that begin with four spaces stay as they are.
- ``See also: rules, short`` names related pages, ``Other names: card, suits`` other words that lead to a page.
- ``[error codes]`` alone is a list that the program makes.

Numbers are not written down: ``{grace:time}`` stands for a value of the server and the form that it takes in the
sentence. ``golfnet.protocol.commands.manual`` has the forms, ``golfnet.server.commands.manual`` the values.
"""

from importlib.resources import files


def read_files() -> dict[str, str]:
    """Return the text of every file of the manual, by its name without the ending, such as ``topics/fair``."""
    return {
        f"{folder}/{file.name.removesuffix('.md')}": file.read_text(encoding="utf-8")
        for folder in ("commands", "topics")
        for file in files(__name__).joinpath(folder).iterdir()
        if file.name.endswith(".md")
    }
