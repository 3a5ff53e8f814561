-- The read models: tables for queries, each the fold of the log (libs/projections). Nothing decides by them and each can be
-- built anew from the log, so nothing else may be kept here. Every row belongs to one job.
--
-- A read model NAME has a template, which holds no rows and says what its tables look like; tables NAME_v1, NAME_v2, …;
-- and the view NAME of the active one, which is what readers read. A rebuild makes the next table, fills it while the
-- active one is kept up, and moves the view in one transaction.

CREATE TABLE phaseline.jobs_template (
  job_id              uuid PRIMARY KEY,
  -- Of JobSubmitted: the order of lists, and what their cursors name.
  submitted_position  bigint NOT NULL UNIQUE,
  -- Of the last event in the rows of this job, in all read models: what is not above it has been counted.
  position            bigint NOT NULL,
  tenant              text NOT NULL,
  agent               text NOT NULL,
  -- What the job was told to go on by; from the next phase on.
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
  -- The phase has had its last word, and the job has not taken note yet or takes none.
  phase_over          boolean,
  todos_done          integer,
  todos_total         integer,
  -- Calls that were requested and have not ended, [{callId, name, lane}] in the order requested.
  open_calls          jsonb NOT NULL,
  -- Calls that wait for a person; they are run, or not, later.
  held_calls          jsonb NOT NULL,
  current_tool        text GENERATED ALWAYS AS (open_calls -> 0 ->> 'name') VIRTUAL,
  input_tokens        bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  output_tokens       bigint NOT NULL,
  cost_micro_usd      bigint NOT NULL,
  steps               bigint NOT NULL,
  result              jsonb,
  failure             jsonb
);

-- A row is rewritten with every few events of its job. No index holds a column that these change, status apart, which
-- changes some three times in the life of a job; so most rewrites stay on their page (HOT).
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
  -- Profile of the model, by its name.
  model               text,
  -- running, completed, failed, cancelled
  status              text NOT NULL,
  -- Of a completed phase: its outcome in the workflow. Of a failed one: the code of the failure.
  outcome             text,
  todos_done          integer NOT NULL,
  todos_total         integer NOT NULL,
  -- How often a gate refused its end, and how often another worker took it over.
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
  -- Of the event that began the row: the order of lists.
  position     bigint NOT NULL,
  step         integer NOT NULL,
  name         text NOT NULL,
  lane         text,
  effect       text,
  -- waiting (for a person), open, completed, failed, denied, refused (by a person), interrupted (its phase ended first)
  status       text NOT NULL,
  -- Of a call that failed or was denied.
  code         text,
  attempts     integer,
  duration_ms  bigint,
  requested_at timestamptz NOT NULL,
  started_at   timestamptz,
  ended_at     timestamptz,
  PRIMARY KEY (job_id, phase, call_id)
);

-- What models cost: a row a job, day (UTC), agent and model. Everything else is a sum of these.
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

-- What was due on each queue, told by the log and not by the queue: how much became due in a minute, and how much ceased
-- to be. The depth at a time is the sum of (due - done) up to it.
CREATE TABLE phaseline.queue_depth_template (
  job_id uuid,
  queue  text COLLATE "C",
  minute timestamptz,
  due    bigint NOT NULL,
  done   bigint NOT NULL,
  PRIMARY KEY (job_id, queue, minute)
);

CREATE INDEX ON phaseline.queue_depth_template (minute) INCLUDE (queue, due, done);

-- Every table there is or was. revision is what the release that filled it understands of events and rows; one that
-- understands more builds its own.
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

-- The services may make, activate and drop versions, and no other tables: these functions do it with the owner's rights.

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
  -- Rows are rewritten in place: room on the page keeps that out of the indexes.
  EXECUTE format('CREATE TABLE phaseline.%I (LIKE phaseline.%I INCLUDING ALL) WITH (fillfactor = %s)',
    v_table, p_name || '_template', CASE WHEN p_name = 'jobs' THEN 70 ELSE 90 END);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.%I TO phaseline_service', v_table);
  INSERT INTO phaseline.read_models (name, version, revision, state) VALUES (p_name, v_version, p_revision, 'building');
  RETURN v_version;
END
$$;

-- Moves the view. A building version only: one that was given up meanwhile is refused.
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
    -- Other columns than before.
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
    RAISE EXCEPTION 'version % of read model % is in use, or gone', p_version, p_name USING ERRCODE = 'PL012';
  END IF;
  EXECUTE format('DROP TABLE IF EXISTS phaseline.%I', p_name || '_v' || p_version);
END
$$;

-- From PUBLIC, since a service is granted it below and nobody else may.
REVOKE ALL ON FUNCTION phaseline.create_read_model, phaseline.activate_read_model, phaseline.drop_read_model FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.create_read_model, phaseline.activate_read_model, phaseline.drop_read_model
  TO phaseline_service;
GRANT SELECT ON phaseline.read_models TO phaseline_service;

SELECT phaseline.activate_read_model(name, phaseline.create_read_model(name, 1))
FROM unnest(ARRAY['jobs', 'phases', 'tool_calls', 'costs', 'queue_depth']) AS name;
