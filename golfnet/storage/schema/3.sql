-- Step 3: several tokens for a player, each with when it was issued, when it was last used, and from where.
--
-- SQLite drops no column that is unique, so the table of players is made anew. Of the tokens before this step nobody
-- knows where they were used; when, is when their player was last seen.

DROP INDEX player_by_name;
DROP INDEX guest_by_seen;
ALTER TABLE player RENAME TO player_before;

CREATE TABLE player (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    skeleton TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    password_hash TEXT,
    created REAL NOT NULL,
    seen REAL NOT NULL
);

INSERT INTO player SELECT number, name, skeleton, kind, password_hash, created, seen FROM player_before;

CREATE INDEX player_by_name ON player (name);
CREATE INDEX guest_by_seen ON player (seen) WHERE kind = 'guest';

CREATE TABLE token (
    hash BLOB PRIMARY KEY,
    player INTEGER NOT NULL REFERENCES player ON DELETE CASCADE,
    place INTEGER NOT NULL,
    issued REAL NOT NULL,
    used REAL NOT NULL,
    origin TEXT NOT NULL
) WITHOUT ROWID;

CREATE INDEX token_by_player ON token (player, place);

INSERT INTO token SELECT token_hash, number, 0, created, seen, '' FROM player_before WHERE token_hash IS NOT NULL;

DROP TABLE player_before;
