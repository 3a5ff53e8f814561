-- Lasting preferences of people for plans in a tenant: the fold of the stream preferences-<user>@<tenant>, written with its events.
CREATE TABLE phaseline.interaction_policies (
  tenant         text COLLATE "C",
  user_name      text COLLATE "C",
  -- The values that are set, by key.
  preferences    jsonb NOT NULL,
  -- Version and position of the last change.
  version        bigint NOT NULL,
  position       bigint NOT NULL,
  -- Position of the last change of the style of conversations, also if it was cleared. Answers to plans before it do not count.
  style_position bigint,
  changed_at     timestamptz NOT NULL,
  PRIMARY KEY (tenant, user_name)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.interaction_policies TO phaseline_service;

-- Lasting preferences about which plans asked their people. Asked is what has a row, answered what has a value.
CREATE TABLE phaseline.preference_questions_template (
  job_id            uuid,
  preference        text COLLATE "C",
  tenant            text COLLATE "C" NOT NULL,
  user_name         text COLLATE "C" NOT NULL,
  asked_at          timestamptz NOT NULL,
  value             text,
  answered_position bigint,
  answered_at       timestamptz,
  PRIMARY KEY (job_id, preference)
);

CREATE INDEX ON phaseline.preference_questions_template (tenant, user_name, preference);

-- The confidence of each assessed draft of a plan, and what became of the draft.
CREATE TABLE phaseline.stage_assessments_template (
  job_id      uuid,
  -- Number of the assessment within the plan, from 1.
  number      integer,
  tenant      text COLLATE "C" NOT NULL,
  agent       text COLLATE "C" NOT NULL,
  -- Model of the phase; null where only the parent of a fork knows it.
  model       text COLLATE "C",
  stage       text COLLATE "C" NOT NULL,
  confidence  double precision NOT NULL,
  assessed_at timestamptz NOT NULL,
  -- approved, changed, invalid, aborted or replaced; null while nothing is known
  outcome     text COLLATE "C",
  decided_at  timestamptz,
  PRIMARY KEY (job_id, number)
);

CREATE INDEX ON phaseline.stage_assessments_template (tenant, assessed_at);

SELECT phaseline.activate_read_model(name, phaseline.create_read_model(name, 0))
FROM unnest(ARRAY['preference_questions', 'stage_assessments']) AS name;

-- The next start of an orchestrator builds tables of the new revision next to those of the previous release. Without events there is
-- nothing to build.
UPDATE phaseline.read_models SET revision = 7 WHERE state = 'active' AND NOT EXISTS (SELECT FROM phaseline.events);
