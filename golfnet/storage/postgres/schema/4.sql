-- Step 4: who has a seat at which table, written with the table's own row: what was told of a seat is here, however soon
-- its node dies.
--
-- "stay.live" is for nodes of the version before, which tell it a second late; nothing reads it any more.

CREATE TABLE seat (
    player bigint PRIMARY KEY,
    live bigint NOT NULL REFERENCES live ON DELETE CASCADE
);

CREATE INDEX seat_by_live ON seat (live);

INSERT INTO seat SELECT player, live.number FROM stay JOIN live ON live.number = stay.live WHERE aside IS NULL;
