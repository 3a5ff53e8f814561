-- Running processes and the leases that they hold, as each reports them with its heartbeats. Whether a process is alive is decided by
-- the clock of this server, never by that of a process.
CREATE TABLE phaseline.processes (
  process_id       text COLLATE "C" PRIMARY KEY,
  service          text NOT NULL,
  -- Version of the code.
  version          text NOT NULL DEFAULT '',
  -- Newest schema version of each type of event that the process can read. Releases differ while they run side by side.
  schema_versions  json NOT NULL DEFAULT '{}',
  -- Host name, for operators.
  host             text NOT NULL DEFAULT '',
  started_at       timestamptz NOT NULL DEFAULT now(),
  heartbeat_at     timestamptz NOT NULL DEFAULT now(),
  -- Clock of the process at its last heartbeat. The difference to heartbeat_at is its deviation.
  clock_at         timestamptz,
  -- Reasons why the process reports that it is not ready; empty if it is ready.
  problems         text[] NOT NULL DEFAULT '{}',
  -- Leases on streams, or on calls in them (`<stream>/<call>`), that the process holds.
  leases           text[] NOT NULL DEFAULT '{}',
  -- Number of phases that the process runs concurrently; 0 if it runs none.
  slots            integer NOT NULL DEFAULT 0,
  -- The last long interval in which the process could not write heartbeats: its last heartbeat before, and the first one after.
  -- Processes that became silent at the same time as one that has just recovered were probably cut off from the database too: they
  -- get time to report before others take over their work.
  unreachable_from timestamptz,
  recovered_at     timestamptz
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.processes TO phaseline_service;
