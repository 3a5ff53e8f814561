-- A dead letter that a person decided not to retry. The row stays, so that the message and the reason can still be read.
ALTER TABLE phaseline.dead_letters ADD COLUMN discarded_at timestamptz;

CREATE INDEX dead_letters_open ON phaseline.dead_letters (queue, message_id) WHERE retried_at IS NULL AND discarded_at IS NULL;
