-- Step 4: who has a seat at which table, written with the table's own row: a player who is told of a seat keeps it even
-- if the node dies at once.
--
-- Nodes of the previous version report seats in "stay.live", a second late. As long as any such node may be running, a
-- trigger copies seats from there; nothing else reads that column any more.

CREATE TABLE seat (
    player bigint PRIMARY KEY,
    live bigint NOT NULL REFERENCES live ON DELETE CASCADE
);

CREATE INDEX seat_by_live ON seat (live);

INSERT INTO seat SELECT player, live.number FROM stay JOIN live ON live.number = stay.live WHERE aside IS NULL;

CREATE FUNCTION seat_as_told() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM seat WHERE player = NEW.player AND live IS DISTINCT FROM NEW.live;
    INSERT INTO seat SELECT NEW.player, number FROM live WHERE number = NEW.live AND aside IS NULL
        ON CONFLICT (player) DO NOTHING;
    RETURN NULL;
END
$$;

CREATE TRIGGER seat_as_told AFTER UPDATE OF live ON stay FOR EACH ROW EXECUTE FUNCTION seat_as_told();
