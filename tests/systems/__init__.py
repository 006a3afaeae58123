"""Other systems than Linux: an evening with the installed commands, also with what they lack hidden."""
