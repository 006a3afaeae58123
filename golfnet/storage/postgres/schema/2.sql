-- Step 2: tables that go from node to node while people play.
--
-- "moving" is set while a table waits for its owner to restore it: what the node that gave it away told of it, empty for
-- one that was taken from a node that is gone.

ALTER TABLE live ADD COLUMN moving bytea;

CREATE INDEX live_moving ON live (owner) WHERE moving IS NOT NULL;
