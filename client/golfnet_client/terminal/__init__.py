"""Terminal: keys in, pictures out. The only room that knows prompt_toolkit, except for the names of its colours."""
