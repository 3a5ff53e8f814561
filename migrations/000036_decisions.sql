-- Decisions of guards and judges, counted: one row per job, kind, name, scope, version and outcome. Every other figure is a sum of these.
CREATE TABLE phaseline.decisions_template (
  job_id  uuid,
  -- guard or judge
  kind    text COLLATE "C",
  name    text COLLATE "C",
  -- Scope and version of a guard; empty for a judge.
  scope   text COLLATE "C",
  version text COLLATE "C",
  outcome text COLLATE "C",
  tenant  text COLLATE "C" NOT NULL,
  count   bigint NOT NULL,
  PRIMARY KEY (job_id, kind, name, scope, version, outcome)
);

CREATE INDEX ON phaseline.decisions_template (kind, name);

SELECT phaseline.activate_read_model('decisions', phaseline.create_read_model('decisions', 0));

-- The next start of an orchestrator builds tables of the new revision next to those of the previous release. Without events there is
-- nothing to build.
UPDATE phaseline.read_models SET revision = 3 WHERE state = 'active' AND NOT EXISTS (SELECT FROM phaseline.events);
