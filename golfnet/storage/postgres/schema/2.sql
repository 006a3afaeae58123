-- Step 2: tables that move from node to node during play.
--
-- "moving" is set while a table waits for its new owner to restore it. It is empty if the previous node is gone, and
-- not empty if that node gave the table away.

ALTER TABLE live ADD COLUMN moving bytea;

CREATE INDEX live_moving ON live (owner) WHERE moving IS NOT NULL;
