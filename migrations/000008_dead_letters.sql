-- Dead letters: queue messages that could not be processed, with the reason. payload is the message as JSON; payload_text is its text
-- if that is not valid JSON.
CREATE TABLE phaseline.dead_letters (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue        text NOT NULL,
  message_id   text NOT NULL,
  -- By the clock of the sender. Together with queue and message_id it identifies the message; NULL for a row inserted by hand.
  enqueued_at  timestamptz,
  payload      json,
  payload_text text,
  reason       text NOT NULL,
  attempts     integer NOT NULL,
  failed_at    timestamptz NOT NULL DEFAULT now(),
  retried_at   timestamptz,
  -- When a person decided not to retry the message. The row stays, so that the message and the reason can still be read.
  discarded_at timestamptz,
  CHECK ((payload IS NULL) <> (payload_text IS NULL))
);

CREATE INDEX dead_letters_queue ON phaseline.dead_letters (queue, id);
-- A process that crashes after it stored a dead letter and before it removed the message stores the same message again.
CREATE UNIQUE INDEX dead_letters_once ON phaseline.dead_letters (queue, message_id, enqueued_at);
CREATE INDEX dead_letters_open ON phaseline.dead_letters (queue, message_id) WHERE retried_at IS NULL AND discarded_at IS NULL;

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.dead_letters TO phaseline_service;
