-- Processes that are running, by their own word, and what they work on. Judged by this server's clock, never by that of a process.
CREATE TABLE phaseline.processes (
  process_id   text COLLATE "C" PRIMARY KEY,
  service      text NOT NULL,
  started_at   timestamptz NOT NULL DEFAULT now(),
  heartbeat_at timestamptz NOT NULL DEFAULT now(),
  -- Streams, or calls in them (`<stream>/<call>`), that the process works on.
  holds        text[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.processes TO phaseline_service;
