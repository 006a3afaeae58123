-- Step 5: which other nodes do not answer a node's links, for the operator.

ALTER TABLE node ADD COLUMN unreached bigint[] NOT NULL DEFAULT '{}';
