-- Plans, one row per planning job: what a caller can branch on, and the hashes of the artifacts that apply. An encrypted job has no texts,
-- patterns or hashes here. A fork has what its own events say; the goal is in the row of its parent.
CREATE TABLE phaseline.plans_template (
  job_id               uuid,
  -- Position of the first event of the job. Lists are ordered by it.
  submitted_position   bigint NOT NULL,
  tenant               text COLLATE "C" NOT NULL,
  user_name            text COLLATE "C",
  goal_id              text COLLATE "C",
  goal                 text,
  -- in_progress, complete, needs_clarification, needs_scheduling_escalation or aborted
  planning_status      text COLLATE "C" NOT NULL,
  stage                text COLLATE "C" NOT NULL,
  pattern_type         text COLLATE "C",
  pattern_subtype      text COLLATE "C",
  pattern_variant      text COLLATE "C",
  context_hash         text COLLATE "C",
  outline_hash         text COLLATE "C",
  roadmap_hash         text COLLATE "C",
  schedule_hash        text COLLATE "C",
  response_text        text,
  escalate_reason      text,
  pattern_rfc_required boolean NOT NULL,
  pattern_rfc_text     text,
  -- When the plan became complete.
  approved_at          timestamptz,
  changed_at           timestamptz NOT NULL,
  PRIMARY KEY (job_id)
);

CREATE INDEX ON phaseline.plans_template (tenant, submitted_position);
CREATE INDEX ON phaseline.plans_template (tenant, goal_id, submitted_position);
CREATE INDEX ON phaseline.plans_template (tenant, pattern_type);
CREATE INDEX ON phaseline.plans_template (tenant, pattern_subtype);
CREATE INDEX ON phaseline.plans_template (tenant, pattern_variant);

-- The tasks of the last schedule of each plan. Times are in UTC; `zone` is where people read them. There is no foreign key to plans,
-- because each read model is rebuilt in a table of its own; both are written in one transaction.
CREATE TABLE phaseline.scheduled_tasks_template (
  job_id        uuid,
  task          text COLLATE "C",
  tenant        text COLLATE "C" NOT NULL,
  title         text NOT NULL,
  starts_at     timestamptz NOT NULL,
  ends_at       timestamptz NOT NULL,
  zone          text COLLATE "C" NOT NULL,
  -- A rule of RFC 5545; times are those of the first occurrence then.
  recurrence    text,
  -- Working minutes by which the task can move without moving the end of the plan.
  float_minutes integer NOT NULL,
  critical      boolean NOT NULL,
  -- Agent that does the task.
  agent         text COLLATE "C",
  PRIMARY KEY (job_id, task)
);

-- Proposed patterns that people approved, which later jobs of the tenant know. Several jobs may have approved the same one.
CREATE TABLE phaseline.pattern_decisions_template (
  job_id     uuid,
  key        text COLLATE "C",
  tenant     text COLLATE "C" NOT NULL,
  pattern    jsonb NOT NULL,
  -- The grammar of a new top-level pattern.
  definition jsonb,
  -- Who approved it.
  actor      text NOT NULL,
  decided_at timestamptz NOT NULL,
  PRIMARY KEY (job_id, key)
);

CREATE INDEX ON phaseline.pattern_decisions_template (tenant, key);

SELECT phaseline.activate_read_model(name, phaseline.create_read_model(name, 0))
FROM unnest(ARRAY['plans', 'scheduled_tasks', 'pattern_decisions']) AS name;

-- The next start of an orchestrator builds tables of the new revision next to those of the previous release. Without events there is
-- nothing to build.
UPDATE phaseline.read_models SET revision = 6 WHERE state = 'active' AND NOT EXISTS (SELECT FROM phaseline.events);
