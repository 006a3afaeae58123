"""One table and its match: seats, watchers, clocks, slam windows and bots; see ``table.Table``."""
