-- Processes that are running, by their own word, and what they work on. Judged by this server's clock, never by that of a process.
CREATE TABLE phaseline.processes (
  process_id   text COLLATE "C" PRIMARY KEY,
  service      text NOT NULL,
  -- Of the code that it runs; empty for a process of a release that did not say.
  version      text NOT NULL DEFAULT '',
  -- The newest version that it can read of every type of event, while releases run side by side.
  knows        json NOT NULL DEFAULT '{}',
  -- The machine, for people.
  host         text NOT NULL DEFAULT '',
  started_at   timestamptz NOT NULL DEFAULT now(),
  heartbeat_at timestamptz NOT NULL DEFAULT now(),
  -- The process's own clock at its last heartbeat: how far it is off is the difference to heartbeat_at.
  clock_at     timestamptz,
  -- Why it cannot work at the moment, by its own word; empty when it can.
  complaints   text[] NOT NULL DEFAULT '{}',
  -- Streams, or calls in them (`<stream>/<call>`), that the process works on.
  holds        text[] NOT NULL DEFAULT '{}'
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.processes TO phaseline_service;
