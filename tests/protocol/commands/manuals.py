"""The manual as tests use it: every value that depends on the server is 7."""

from golfnet.manual import read_files
from golfnet.protocol.commands.pages import PLACEHOLDER, read_manual

FILES = read_files()
NAMED = {found[1] for text in FILES.values() for found in PLACEHOLDER.finditer(text)}
"""The names of the values that the manual mentions."""

MANUAL = read_manual(FILES, dict.fromkeys(NAMED, 7))
