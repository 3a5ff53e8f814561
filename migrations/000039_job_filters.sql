-- Lists of jobs can be filtered by what the jobs wait for, since when, by cost and by age, and sorted by cost and by waiting time.
-- The read model jobs therefore contains what each job waits for, and since when without interruption:
--   approval, question, todo (one is blocked), pause, blocked (a person must retry it): a person
--   child: a child job; orchestrator: a slot, an import, a timer or a decision; worker: a model call or a tool
-- Both are NULL for a job that waits for nothing more.

ALTER TABLE phaseline.jobs_template
  ADD COLUMN waits_for text,
  ADD COLUMN waiting_since timestamptz,
  -- Rises with the cost, but only about 9 times per factor of 10. An index of the cost itself would prevent HOT updates. Sorting within
  -- one class is cheap.
  ADD COLUMN cost_class smallint GENERATED ALWAYS AS (floor(4 * ln(greatest(cost_micro_usd, 1)::float8))::smallint) STORED;

-- What a job waits for changes about twice per phase.
CREATE INDEX ON phaseline.jobs_template (waiting_since, submitted_position) WHERE waits_for IS NOT NULL;
CREATE INDEX ON phaseline.jobs_template (waits_for, waiting_since) WHERE waits_for IS NOT NULL;
CREATE INDEX ON phaseline.jobs_template (cost_class);
CREATE INDEX ON phaseline.jobs_template (created_at);
-- Counts of jobs are read from this index alone.
CREATE INDEX ON phaseline.jobs_template (tenant, status, agent);

-- The next start of an orchestrator builds tables of the new revision next to those of the previous release. Without events there is
-- nothing to build, so the tables are changed in place.
DO $$
DECLARE
  v_table text;
BEGIN
  IF EXISTS (SELECT FROM phaseline.events) THEN RETURN; END IF;
  SELECT 'jobs_v' || version INTO STRICT v_table FROM phaseline.read_models WHERE name = 'jobs' AND state = 'active';
  EXECUTE format(
    'ALTER TABLE phaseline.%I ADD COLUMN waits_for text, ADD COLUMN waiting_since timestamptz, ADD COLUMN cost_class smallint '
    'GENERATED ALWAYS AS (floor(4 * ln(greatest(cost_micro_usd, 1)::float8))::smallint) STORED',
    v_table
  );
  EXECUTE format('CREATE INDEX ON phaseline.%I (waiting_since, submitted_position) WHERE waits_for IS NOT NULL', v_table);
  EXECUTE format('CREATE INDEX ON phaseline.%I (waits_for, waiting_since) WHERE waits_for IS NOT NULL', v_table);
  EXECUTE format('CREATE INDEX ON phaseline.%I (cost_class)', v_table);
  EXECUTE format('CREATE INDEX ON phaseline.%I (created_at)', v_table);
  EXECUTE format('CREATE INDEX ON phaseline.%I (tenant, status, agent)', v_table);
  EXECUTE format('CREATE OR REPLACE VIEW phaseline.jobs AS SELECT * FROM phaseline.%I', v_table);
  UPDATE phaseline.read_models SET revision = 5 WHERE state = 'active';
END
$$;
