-- Quarantine: streams that fail repeatedly in the same way. Failures are counted here. After a number of identical failures the stream
-- is quarantined: it is checked only rarely until a person releases it, or another release of the code checks it.
CREATE TABLE phaseline.quarantine (
  stream_id      text COLLATE "C" PRIMARY KEY,
  -- The job.
  correlation_id text COLLATE "C" NOT NULL,
  -- Equal for identical failures.
  fingerprint    text NOT NULL,
  -- For people.
  reason         text NOT NULL,
  -- Number of identical failures in a row.
  failures       integer NOT NULL,
  -- Version of the code that failed. Another version checks the stream immediately.
  release        text NOT NULL,
  first_at       timestamptz NOT NULL DEFAULT now(),
  last_at        timestamptz NOT NULL DEFAULT now(),
  -- NULL while failures are only counted.
  quarantined_at timestamptz,
  next_check_at  timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX quarantine_job ON phaseline.quarantine (correlation_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.quarantine TO phaseline_service;
