-- Step 2: seats that their owners left to a bot, which step 1 did not distinguish from seats of bots.
--
-- Players cannot have the names of bots, so a seat with no player and no such name was left by its owner.

UPDATE match_seat SET kind = 'house'
WHERE kind = 'bot' AND player IS NULL
    AND name NOT IN ('random-bot', 'easy-bot', 'medium-bot', 'hard-bot')
    AND name NOT GLOB 'random-bot-[0-9]*'
    AND name NOT GLOB 'easy-bot-[0-9]*'
    AND name NOT GLOB 'medium-bot-[0-9]*'
    AND name NOT GLOB 'hard-bot-[0-9]*';
