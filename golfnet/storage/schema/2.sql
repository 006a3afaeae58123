-- Step 2: seats that their owners left to the house, which step 1 knew only as bots'.
--
-- The names of bots are kept from players, so a seat without a player and without such a name was left by somebody.

UPDATE match_seat SET kind = 'house'
WHERE kind = 'bot' AND player IS NULL
    AND name NOT IN ('random-bot', 'easy-bot', 'medium-bot', 'hard-bot')
    AND name NOT GLOB 'random-bot-[0-9]*'
    AND name NOT GLOB 'easy-bot-[0-9]*'
    AND name NOT GLOB 'medium-bot-[0-9]*'
    AND name NOT GLOB 'hard-bot-[0-9]*';
