-- The read model `jobs`: one row a job, the fold of its events (libs/projections). It can be rebuilt from the log at
-- any time, so nothing else may be kept here, and nothing decides by it.

CREATE TABLE phaseline.jobs (
  job_id              uuid PRIMARY KEY,
  -- Of JobSubmitted: the order of lists, and what their cursors name.
  submitted_position  bigint NOT NULL UNIQUE,
  -- Of the last event in this row. A reader folds what came after it, and so is never behind the log.
  position            bigint NOT NULL,
  agent               text NOT NULL,
  status              text NOT NULL,
  labels              jsonb NOT NULL,
  created_at          timestamptz NOT NULL,
  updated_at          timestamptz NOT NULL,
  ended_at            timestamptz,
  phase_number        integer,
  phase_kind          text,
  phase_state         text,
  phase_name          text,
  todos_done          integer,
  todos_total         integer,
  -- Calls that were requested and have not ended, [{callId, name}] in the order requested.
  open_calls          jsonb NOT NULL,
  current_tool        text GENERATED ALWAYS AS (open_calls -> 0 ->> 'name') VIRTUAL,
  input_tokens        bigint NOT NULL,
  cached_input_tokens bigint NOT NULL,
  output_tokens       bigint NOT NULL,
  cost_micro_usd      bigint NOT NULL,
  steps               bigint NOT NULL,
  result              jsonb,
  failure             jsonb
) WITH (fillfactor = 70);

-- A row is rewritten with every few events of its job. No index holds a column that these change, status apart, which
-- changes some three times in the life of a job; so most rewrites stay on their page (HOT).
CREATE INDEX jobs_status ON phaseline.jobs (status, submitted_position);
CREATE INDEX jobs_agent ON phaseline.jobs (agent, submitted_position);
CREATE INDEX jobs_labels ON phaseline.jobs USING gin (labels);

GRANT SELECT, INSERT, UPDATE ON phaseline.jobs TO phaseline_service;
