-- Step 4: how the owner of each seat ended a match, and the rank that counts for ladders.
--
-- Of matches so far it is only known which seats were left; who left them is not, and everybody's rank is the place.

ALTER TABLE match_seat ADD COLUMN ending TEXT NOT NULL DEFAULT 'played';
ALTER TABLE match_seat ADD COLUMN rank INTEGER NOT NULL DEFAULT 0;

UPDATE match_seat SET rank = place;
UPDATE match_seat SET ending = 'left' WHERE kind = 'house';
