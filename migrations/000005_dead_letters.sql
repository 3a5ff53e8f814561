-- Queue messages that were given up, with the reason. payload is json as it came, or the text that would not parse.
CREATE TABLE phaseline.dead_letters (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue        text NOT NULL,
  message_id   text NOT NULL,
  -- By the sender's clock. With queue and message_id it names the letter; missing for one that was put here by hand.
  enqueued_at  timestamptz,
  payload      json,
  payload_text text,
  reason       text NOT NULL,
  attempts     integer NOT NULL,
  failed_at    timestamptz NOT NULL DEFAULT now(),
  retried_at   timestamptz,
  CHECK ((payload IS NULL) <> (payload_text IS NULL))
);

CREATE INDEX dead_letters_queue ON phaseline.dead_letters (queue, id);
-- A process that dies between storing a letter and removing its message brings the same letter again.
CREATE UNIQUE INDEX dead_letters_once ON phaseline.dead_letters (queue, message_id, enqueued_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.dead_letters TO phaseline_service;
