-- Step 4: how a match ended for the owner of each seat, and the rank that counts for ladders.
--
-- For existing matches, only seats left to a bot are known to have been left, and every rank is the seat's place.

ALTER TABLE match_seat ADD COLUMN ending TEXT NOT NULL DEFAULT 'played';
ALTER TABLE match_seat ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;

UPDATE match_seat SET rank = place;
UPDATE match_seat SET ending = 'left' WHERE kind = 'house';
