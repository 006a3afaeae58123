-- Step 1: tables in play with their logs, players, finished matches, ratings.
--
-- Ids are stored as their numbers (t12 is 12). Times are seconds since 1970. Rows are ordered by their ordinals, not by
-- time, so a clock that is set back does not change the order.

CREATE TABLE counter (
    kind TEXT PRIMARY KEY,
    last INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO counter VALUES ('t', 0), ('m', 0), ('p', 0);

CREATE TABLE live (
    number INTEGER PRIMARY KEY,
    row BLOB NOT NULL,
    aside TEXT
);

-- A rowid table on purpose: events of all tables are appended in one place, twice as fast as if clustered by table.
-- The unique key makes a repeated append harmless.
CREATE TABLE event (
    live INTEGER NOT NULL REFERENCES live ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    body BLOB NOT NULL,
    UNIQUE (live, seq)
);

CREATE TABLE player (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    skeleton TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL,
    password_hash TEXT,
    token_hash BLOB UNIQUE,
    created REAL NOT NULL,
    seen REAL NOT NULL
);

CREATE INDEX player_by_name ON player (name);
CREATE INDEX guest_by_seen ON player (seen) WHERE kind = 'guest';

CREATE TABLE match (
    ordinal INTEGER PRIMARY KEY,
    number INTEGER NOT NULL UNIQUE,
    live INTEGER NOT NULL,
    variant TEXT NOT NULL,
    options BLOB NOT NULL,
    started REAL NOT NULL,
    ended REAL NOT NULL,
    finished INTEGER NOT NULL,
    rated INTEGER NOT NULL,
    record BLOB NOT NULL -- zlib
);

CREATE INDEX match_by_live ON match (live, ordinal);

CREATE TABLE match_seat (
    match INTEGER NOT NULL REFERENCES match (ordinal) ON DELETE CASCADE,
    seat INTEGER NOT NULL,
    player INTEGER,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    total INTEGER NOT NULL,
    place INTEGER NOT NULL,
    PRIMARY KEY (match, seat)
) WITHOUT ROWID;

CREATE INDEX match_seat_by_player ON match_seat (player, match);

CREATE TABLE rating (
    player INTEGER NOT NULL,
    variant TEXT NOT NULL,
    pool TEXT NOT NULL,
    mu REAL NOT NULL,
    sigma REAL NOT NULL,
    matches INTEGER NOT NULL,
    wins INTEGER NOT NULL,
    PRIMARY KEY (player, variant, pool)
) WITHOUT ROWID;

CREATE INDEX rating_ladder ON rating (variant, pool, mu - 3 * sigma);
