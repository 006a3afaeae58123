-- Step 5: how each player wants things to be shown, and names of guests that were taken again without a token.
--
-- ``settings`` is JSON of whoever writes it, empty for somebody who has chosen nothing. ``claimed`` is when somebody
-- first took the guest's name again without the token, 0 for never.

ALTER TABLE player ADD COLUMN settings BLOB NOT NULL DEFAULT x'';
ALTER TABLE token ADD COLUMN claimed REAL NOT NULL DEFAULT 0;
