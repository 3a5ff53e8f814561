-- Streams that fail again and again in the same way: counted here, and set aside after so many identical failures, so that
-- they are looked at only rarely until a person releases them or another release of the code may read them.
CREATE TABLE phaseline.quarantine (
  stream_id    text COLLATE "C" PRIMARY KEY,
  -- The job.
  correlation_id text COLLATE "C" NOT NULL,
  -- Tells identical failures from different ones.
  fingerprint  text NOT NULL,
  -- For people.
  reason       text NOT NULL,
  -- Identical ones in a row.
  failures     integer NOT NULL,
  -- Version of the code that failed: another one looks at the stream at once.
  release      text NOT NULL,
  first_at     timestamptz NOT NULL DEFAULT now(),
  last_at      timestamptz NOT NULL DEFAULT now(),
  -- NULL while it is only being counted.
  set_aside_at timestamptz,
  next_look_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX quarantine_job ON phaseline.quarantine (correlation_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.quarantine TO phaseline_service;
