"""Terminal: keys in, pictures out. The only package that uses prompt_toolkit, except for styles and colour depths."""
