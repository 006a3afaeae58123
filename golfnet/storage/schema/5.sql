-- Step 5: how each player wants things to be shown, and tokens that were given for a name alone.
--
-- ``settings`` is JSON of whoever writes it, empty for somebody who has chosen nothing. ``claimed`` is when a guest's
-- name was taken again without a token, 0 for tokens that come from a name that was free, or from a password.

ALTER TABLE player ADD COLUMN settings BLOB NOT NULL DEFAULT x'';
ALTER TABLE token ADD COLUMN claimed REAL NOT NULL DEFAULT 0;
