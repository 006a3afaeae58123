-- Step 3: several tokens per player, each with the times when it was issued and last used, and from where.
--
-- SQLite cannot drop a unique column, so the player table is rebuilt. An existing token gets the time when its player
-- was last seen as its last use, and no origin.

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
