-- Runs of retention: requested over HTTP or once per interval by the service, executed by one replica at a time.

-- A run without ended_at is waiting or running: an advisory lock says whether a process works on it.
CREATE TABLE phaseline.retention_runs (
  run_id       uuid PRIMARY KEY,
  requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Of the events of the run.
  actor        jsonb NOT NULL,
  -- NULL: all tenants.
  tenants      text[] COLLATE "C",
  dry_run      boolean NOT NULL,
  started_at   timestamptz,
  ended_at     timestamptz,
  failure      text
);
CREATE INDEX retention_runs_newest ON phaseline.retention_runs (requested_at);
-- A second request for the same returns the run that has not ended.
CREATE UNIQUE INDEX retention_runs_open ON phaseline.retention_runs (coalesce(tenants, '{}'), dry_run) WHERE ended_at IS NULL;

-- What a run did with each job, in order.
CREATE TABLE phaseline.retention_run_jobs (
  run_id  uuid NOT NULL REFERENCES phaseline.retention_runs ON DELETE CASCADE,
  number  bigint GENERATED ALWAYS AS IDENTITY,
  job_id  text COLLATE "C" NOT NULL,
  tenant  text COLLATE "C" NOT NULL,
  outcome jsonb NOT NULL,
  PRIMARY KEY (run_id, number),
  -- A run that another process continues does not report a job twice.
  UNIQUE (run_id, job_id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.retention_runs, phaseline.retention_run_jobs TO phaseline_service;

-- The holds that are in force are found without a scan of the log.
CREATE INDEX events_holds ON phaseline.events (correlation_id, position) WHERE type IN ('HoldPlaced', 'HoldReleased');
