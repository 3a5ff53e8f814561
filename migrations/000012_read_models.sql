-- Read models: tables for queries, computed from the log (libs/projections). No decision depends on them, and each can be rebuilt from
-- the log, so nothing else may be stored here. Every row belongs to one job.
--
-- A read model NAME has a template, which contains no rows and defines the columns; tables NAME_v1, NAME_v2, …; and a view NAME of
-- the active table, which readers use. A rebuild creates the next table, fills it while the active one is kept up to date, and
-- replaces the view in one transaction.

CREATE TABLE phaseline.jobs_template (
  job_id              uuid PRIMARY KEY,
  -- Position of JobSubmitted. Lists are ordered by it, and their cursors contain it.
  submitted_position  bigint NOT NULL UNIQUE,
  -- Position of the last event that is included in the rows of this job, in all read models.
  position            bigint NOT NULL,
  tenant              text NOT NULL,
  agent               text NOT NULL,
  -- Agent requested for the next phase.
  next_agent          text,
  status              text NOT NULL,
  labels              jsonb NOT NULL,
  created_at          timestamptz NOT NULL,
  updated_at          timestamptz NOT NULL,
  ended_at            timestamptz,
  phase_number        integer,
  phase_kind          text,
  phase_state         text,
  phase_name          text,
  -- Whether the phase has ended while the job has not recorded that yet, or never will.
  phase_ended         boolean,
  todos_done          integer,
  todos_total         integer,
  -- Calls that were requested and have not ended: [{callId, name, lane}] in the order of the requests.
  open_calls          jsonb NOT NULL,
  -- Calls that wait for the approval of a person.
  awaiting_approval   jsonb NOT NULL,
  current_tool        text GENERATED ALWAYS AS (open_calls -> 0 ->> 'name') VIRTUAL,
  input_tokens        bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  output_tokens       bigint NOT NULL,
  cost_micro_usd      bigint NOT NULL,
  steps               bigint NOT NULL,
  result              jsonb,
  failure             jsonb
);

-- A row is rewritten every few events of its job. No index contains a column that these rewrites change, except status, which
-- changes about three times per job: so most rewrites are HOT updates.
CREATE INDEX ON phaseline.jobs_template (status, submitted_position);
CREATE INDEX ON phaseline.jobs_template (agent, submitted_position);
CREATE INDEX ON phaseline.jobs_template (tenant, submitted_position);
CREATE INDEX ON phaseline.jobs_template USING gin (labels);

CREATE TABLE phaseline.phases_template (
  job_id              uuid,
  phase               integer,
  attempt             integer NOT NULL,
  kind                text NOT NULL,
  state               text NOT NULL,
  name                text NOT NULL,
  -- Name of the model profile.
  model               text,
  -- running, completed, failed, cancelled
  status              text NOT NULL,
  -- The outcome in the workflow of a completed phase; the failure code of a failed one.
  outcome             text,
  todos_done          integer NOT NULL,
  todos_total         integer NOT NULL,
  -- How often a gate rejected its end, and how often another worker took it over.
  rejections          integer NOT NULL,
  takeovers           integer NOT NULL,
  steps               bigint NOT NULL,
  input_tokens        bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  output_tokens       bigint NOT NULL,
  cost_micro_usd      bigint NOT NULL,
  started_at          timestamptz NOT NULL,
  ended_at            timestamptz,
  PRIMARY KEY (job_id, phase)
);

CREATE TABLE phaseline.tool_calls_template (
  job_id       uuid,
  phase        integer,
  call_id      text COLLATE "C",
  -- Position of the event that created the row. Lists are ordered by it.
  position     bigint NOT NULL,
  step         integer NOT NULL,
  name         text NOT NULL,
  lane         text,
  effect       text,
  -- waiting (for a person), open, completed, failed, denied, refused (by a person), interrupted (its phase ended before)
  status       text NOT NULL,
  -- Error code of a call that failed or was denied.
  code         text,
  -- Structured result, of tools that declare one.
  result       jsonb,
  attempts     integer,
  duration_ms  bigint,
  requested_at timestamptz NOT NULL,
  started_at   timestamptz,
  ended_at     timestamptz,
  PRIMARY KEY (job_id, phase, call_id)
);

-- Cost of models: one row per job, day (UTC), agent and model. Every other figure is a sum of these.
CREATE TABLE phaseline.costs_template (
  job_id              uuid,
  day                 date,
  agent               text COLLATE "C",
  model               text COLLATE "C",
  tenant              text COLLATE "C" NOT NULL,
  steps               bigint NOT NULL,
  input_tokens        bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  output_tokens       bigint NOT NULL,
  cost_micro_usd      bigint NOT NULL,
  PRIMARY KEY (job_id, day, agent, model)
);

CREATE INDEX ON phaseline.costs_template (day);

-- Work that was due on each queue, by the log rather than by the queue: how many phases or calls became due in a minute, and how many
-- were no longer due. The depth at a time is the sum of (due - done) up to it.
CREATE TABLE phaseline.queue_depth_template (
  job_id uuid,
  queue  text COLLATE "C",
  minute timestamptz,
  due    bigint NOT NULL,
  done   bigint NOT NULL,
  PRIMARY KEY (job_id, queue, minute)
);

CREATE INDEX ON phaseline.queue_depth_template (minute) INCLUDE (queue, due, done);

-- All tables of read models, including dropped ones. revision identifies how a release computes rows from events; a release with
-- a greater revision builds its own table.
CREATE TABLE phaseline.read_models (
  name         text COLLATE "C" NOT NULL,
  version      integer NOT NULL,
  revision     integer NOT NULL,
  state        text NOT NULL CHECK (state IN ('building', 'active', 'retired', 'dropped')),
  created_at   timestamptz NOT NULL DEFAULT now(),
  activated_at timestamptz,
  PRIMARY KEY (name, version)
);

CREATE UNIQUE INDEX read_models_active ON phaseline.read_models (name) WHERE state = 'active';

-- The services may create, activate and drop versions of read models, but no other tables: these functions run with the rights of the
-- owner.

CREATE FUNCTION phaseline.create_read_model(p_name text, p_revision integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_version integer;
  v_table   text;
BEGIN
  IF to_regclass(format('phaseline.%I', p_name || '_template')) IS NULL THEN
    RAISE EXCEPTION 'there is no read model %', p_name USING ERRCODE = 'PL010';
  END IF;
  SELECT coalesce(max(version), 0) + 1 INTO v_version FROM phaseline.read_models WHERE name = p_name;
  v_table := p_name || '_v' || v_version;
  -- Rows are rewritten all the time: free space on the page allows HOT updates.
  EXECUTE format('CREATE TABLE phaseline.%I (LIKE phaseline.%I INCLUDING ALL) WITH (fillfactor = %s)',
    v_table, p_name || '_template', CASE WHEN p_name = 'jobs' THEN 70 ELSE 90 END);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.%I TO phaseline_service', v_table);
  INSERT INTO phaseline.read_models (name, version, revision, state) VALUES (p_name, v_version, p_revision, 'building');
  RETURN v_version;
END
$$;

-- Replaces the view. Requires a version that is being built: one that was dropped in the meantime is rejected.
CREATE FUNCTION phaseline.activate_read_model(p_name text, p_version integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_table text := p_name || '_v' || p_version;
BEGIN
  UPDATE phaseline.read_models SET state = 'retired' WHERE name = p_name AND state = 'active';
  UPDATE phaseline.read_models SET state = 'active', activated_at = now()
  WHERE name = p_name AND version = p_version AND state = 'building';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'version % of read model % is not being built', p_version, p_name USING ERRCODE = 'PL011';
  END IF;
  BEGIN
    EXECUTE format('CREATE OR REPLACE VIEW phaseline.%I AS SELECT * FROM phaseline.%I', p_name, v_table);
  EXCEPTION WHEN invalid_table_definition THEN
    -- The columns differ from those of the previous version.
    EXECUTE format('DROP VIEW phaseline.%I', p_name);
    EXECUTE format('CREATE VIEW phaseline.%I AS SELECT * FROM phaseline.%I', p_name, v_table);
  END;
  EXECUTE format('GRANT SELECT ON phaseline.%I TO phaseline_service', p_name);
END
$$;

CREATE FUNCTION phaseline.drop_read_model(p_name text, p_version integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE phaseline.read_models SET state = 'dropped'
  WHERE name = p_name AND version = p_version AND state IN ('building', 'retired');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'version % of read model % is in use, or was dropped before', p_version, p_name USING ERRCODE = 'PL012';
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS phaseline.%I', p_name || '_v' || p_version);
END
$$;

REVOKE ALL ON FUNCTION phaseline.create_read_model, phaseline.activate_read_model, phaseline.drop_read_model FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.create_read_model, phaseline.activate_read_model, phaseline.drop_read_model
  TO phaseline_service;
GRANT SELECT ON phaseline.read_models TO phaseline_service;

-- Jobs whose rows are not up to date because one of their events could not be included. Their rows show the state before that event,
-- and no later event is counted until a release that can include it folds the job again. The rows of other jobs are not affected.
CREATE TABLE phaseline.read_models_behind (
  job_id         uuid PRIMARY KEY,
  -- Position of the first event that was not included.
  position       bigint NOT NULL,
  type           text COLLATE "C" NOT NULL,
  schema_version integer NOT NULL,
  noted_at       timestamptz NOT NULL DEFAULT now(),
  -- Why the event cannot be read, or the rows cannot be written. NULL if the event was written by a newer release, in which case nothing
  -- is wrong. Such a job is still listed with what can be read, and its end is still recorded.
  reason         text
);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.read_models_behind TO phaseline_service;

SELECT phaseline.activate_read_model(name, phaseline.create_read_model(name, 1))
FROM unnest(ARRAY['jobs', 'phases', 'tool_calls', 'costs', 'queue_depth']) AS name;
