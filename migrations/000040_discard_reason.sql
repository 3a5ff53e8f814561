-- Who discarded a dead letter, and why. NULL: not recorded, because it was discarded by an older release, or no reason was given.
ALTER TABLE phaseline.dead_letters ADD COLUMN discarded_by text, ADD COLUMN discard_reason text;
