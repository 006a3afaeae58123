-- Step 3: facts about a server for people to read: when it started, how long it may be silent before others may declare
-- it gone, and whether it reported that it stopped. Nothing else depends on them.

ALTER TABLE node ADD began timestamptz, ADD lease double precision NOT NULL DEFAULT 3,
    ADD stopped boolean NOT NULL DEFAULT false;
ALTER TABLE node ALTER began SET DEFAULT now(); -- unknown for existing rows
