-- Step 5: each player's display settings, and guests' names that were taken again without a token.
--
-- ``settings`` is the writer's own JSON, empty if the player has chosen none. ``claimed`` is when somebody first took
-- the guest's name again without the token, 0 for never.

ALTER TABLE player ADD COLUMN settings BLOB NOT NULL DEFAULT x'';
ALTER TABLE token ADD COLUMN claimed REAL NOT NULL DEFAULT 0;
