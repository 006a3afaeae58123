-- Step 3: what people read of a server: when it began, how long it may be silent before others may declare it gone, and
-- whether it has said itself that it stopped. None of it decides anything.

ALTER TABLE node ADD began timestamptz, ADD lease double precision NOT NULL DEFAULT 3,
    ADD stopped boolean NOT NULL DEFAULT false;
ALTER TABLE node ALTER began SET DEFAULT now(); -- of those that are there already nobody knows it
