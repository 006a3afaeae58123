"""Terminal: keys in, pictures out. The only room that knows prompt_toolkit, beside the names of its colours."""
