-- Agents that start when requirements of the cache are open (startWhen): which jobs filled the cache, and the batches for which a job is
-- submitted. A requirement is in at most one batch per agent. A batch is stored before its job is submitted, so that a crash in between
-- neither loses nor repeats it; the id of the job is derived from the batch.

-- Jobs that wrote to the cache, with their tenant.
CREATE TABLE phaseline.cache_writers (
  job_id     uuid NOT NULL,
  tenant     text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  PRIMARY KEY (job_id, collection)
);
CREATE INDEX cache_writers_tenant ON phaseline.cache_writers (tenant, collection);

CREATE TABLE phaseline.follow_on_batches (
  agent        text COLLATE "C" NOT NULL,
  tenant       text COLLATE "C" NOT NULL,
  collection   text COLLATE "C" NOT NULL,
  batch        integer NOT NULL CHECK (batch > 0),
  job_id       uuid NOT NULL UNIQUE,
  requirements integer NOT NULL CHECK (requirements > 0),
  formed_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  submitted_at timestamptz,
  -- Whether the job was seen to have ended. A job that is retried afterwards does not count again.
  has_ended    boolean NOT NULL DEFAULT false,
  PRIMARY KEY (agent, tenant, collection, batch)
);
CREATE INDEX follow_on_batches_open ON phaseline.follow_on_batches (agent, tenant) WHERE NOT has_ended;

CREATE TABLE phaseline.follow_on_requirements (
  agent    text COLLATE "C" NOT NULL,
  entry_id bigint NOT NULL REFERENCES phaseline.cached_requirements,
  job_id   uuid NOT NULL REFERENCES phaseline.follow_on_batches (job_id),
  PRIMARY KEY (agent, entry_id)
);
GRANT SELECT, INSERT ON phaseline.cache_writers, phaseline.follow_on_requirements TO phaseline_service;
GRANT SELECT, INSERT, UPDATE ON phaseline.follow_on_batches TO phaseline_service;
