-- Step 1: servers, tables in play with their logs, where players are, players, finished matches, ratings.
--
-- Ids are stored as their numbers (t12 is 12). Times of players and matches are seconds since 1970. Rows are ordered by
-- their ordinals, not by time. Text that is sorted or compared has the collation "C", so that no update of the system's
-- collations changes its order.

CREATE TABLE counter (
    kind text PRIMARY KEY,
    last bigint NOT NULL
);

INSERT INTO counter VALUES ('t', 0), ('m', 0), ('p', 0);

-- One row for each server process that has ever served. Its number is never assigned again, "batch" is the last batch
-- that it has committed, and "gone" is final. "link" is where other servers reach it, empty for a lone server; "seen",
-- "name" and "version" are only for people to read. Every batch updates its server's row: thanks to free space on the
-- page, these updates do not touch the index.
CREATE TABLE node (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    link text NOT NULL,
    version text NOT NULL,
    draining boolean NOT NULL DEFAULT false,
    batch bigint NOT NULL DEFAULT 0,
    gone boolean NOT NULL DEFAULT false,
    seen timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 10);

CREATE TABLE live (
    number bigint PRIMARY KEY,
    owner bigint REFERENCES node,
    row bytea NOT NULL,
    aside text
) WITH (fillfactor = 70);

CREATE INDEX live_by_owner ON live (owner);

-- No foreign key: rows are inserted by a join with their tables, which costs less than a check per row.
CREATE TABLE event (
    live bigint NOT NULL,
    seq bigint NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (live, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.01);

-- Where players are: one row for each player who is connected or has a seat. The number increases with every arrival.
-- "live" and "connected" are as the node last reported them.
CREATE TABLE stay (
    player bigint PRIMARY KEY,
    number bigint NOT NULL,
    node bigint NOT NULL REFERENCES node,
    live bigint,
    connected boolean NOT NULL DEFAULT true,
    since timestamptz NOT NULL DEFAULT now()
);

CREATE SEQUENCE stay_number;
CREATE INDEX stay_by_node ON stay (node);

-- Tables as other nodes see them, in the order in which they were opened: "fit" is the rule set as long as a player who
-- is looking for a table may sit down, otherwise empty.
CREATE TABLE offer (
    number bigint PRIMARY KEY,
    ordinal bigint GENERATED ALWAYS AS IDENTITY,
    node bigint NOT NULL,
    fit text NOT NULL,
    terms bytea NOT NULL,
    row bytea NOT NULL,
    opening boolean NOT NULL
);

CREATE INDEX offer_to_fit ON offer (fit, ordinal) WHERE fit <> '';

CREATE TABLE sanction (
    ordinal bigint GENERATED ALWAYS AS IDENTITY,
    kind text NOT NULL,
    whom text NOT NULL,
    reason text NOT NULL,
    since double precision NOT NULL,
    PRIMARY KEY (kind, whom)
);

CREATE TABLE player (
    number bigint PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    skeleton text COLLATE "C" NOT NULL UNIQUE,
    kind text NOT NULL,
    password_hash text,
    created double precision NOT NULL,
    seen double precision NOT NULL,
    settings bytea NOT NULL
);

CREATE INDEX player_by_name ON player (name);
CREATE INDEX player_beyond_ascii ON player (number) WHERE name ~ '[^ -~]';
CREATE INDEX guest_by_seen ON player (seen, number) WHERE kind = 'guest';

CREATE TABLE token (
    hash bytea PRIMARY KEY,
    player bigint NOT NULL REFERENCES player ON DELETE CASCADE,
    place integer NOT NULL,
    issued double precision NOT NULL,
    used double precision NOT NULL,
    origin text NOT NULL,
    claimed double precision NOT NULL
);

CREATE INDEX token_by_player ON token (player, place);

CREATE TABLE match (
    ordinal bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    number bigint NOT NULL UNIQUE,
    live bigint NOT NULL,
    variant text COLLATE "C" NOT NULL,
    options bytea NOT NULL,
    started double precision NOT NULL,
    ended double precision NOT NULL,
    finished boolean NOT NULL,
    rated boolean NOT NULL,
    record bytea NOT NULL -- zlib
);

CREATE INDEX match_by_live ON match (live, ordinal);

CREATE TABLE match_seat (
    match bigint NOT NULL REFERENCES match (ordinal) ON DELETE CASCADE,
    seat smallint NOT NULL,
    player bigint,
    name text NOT NULL,
    kind text NOT NULL,
    total integer NOT NULL,
    place smallint NOT NULL,
    ending text NOT NULL,
    rank smallint NOT NULL,
    PRIMARY KEY (match, seat)
);

CREATE INDEX match_seat_by_player ON match_seat (player, match);

CREATE TABLE rating (
    player bigint NOT NULL,
    variant text COLLATE "C" NOT NULL,
    pool text NOT NULL,
    mu double precision NOT NULL,
    sigma double precision NOT NULL,
    matches integer NOT NULL,
    wins integer NOT NULL,
    PRIMARY KEY (player, variant, pool)
);

CREATE INDEX rating_ladder ON rating (variant, pool, (mu - 3 * sigma));
