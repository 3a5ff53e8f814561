-- The inbox shows what waits for a person, over all jobs of a tenant. It is read from the read model jobs, which therefore also
-- contains the calls whose question waits for an answer: [{callId, name, lane, position, askedAt, deadlineAt}]. Entries of
-- awaiting_approval have the same members.

ALTER TABLE phaseline.jobs_template ADD COLUMN awaiting_answer jsonb NOT NULL DEFAULT '[]';

-- Finds the few jobs that wait for a person among all others.
CREATE INDEX ON phaseline.jobs_template (tenant) WHERE awaiting_approval <> '[]' OR awaiting_answer <> '[]';

-- The next start of an orchestrator builds tables of the new revision next to those of the previous release. Without events there is
-- nothing to build, so the tables are changed in place.
DO $$
DECLARE
  v_table text;
BEGIN
  IF EXISTS (SELECT FROM phaseline.events) THEN RETURN; END IF;
  SELECT 'jobs_v' || version INTO STRICT v_table FROM phaseline.read_models WHERE name = 'jobs' AND state = 'active';
  EXECUTE format('ALTER TABLE phaseline.%I ADD COLUMN awaiting_answer jsonb NOT NULL DEFAULT ''[]''', v_table);
  EXECUTE format('CREATE INDEX ON phaseline.%I (tenant) WHERE awaiting_approval <> ''[]'' OR awaiting_answer <> ''[]''', v_table);
  EXECUTE format('CREATE OR REPLACE VIEW phaseline.jobs AS SELECT * FROM phaseline.%I', v_table);
  UPDATE phaseline.read_models SET revision = 2 WHERE state = 'active';
END
$$;
