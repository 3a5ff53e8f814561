-- Other plans of a person are planned around the tasks of the approved ones. A schedule says when a task starts and ends, which is longer than the
-- work if it has pauses, and a recurring task does not take place on the days that it leaves out.
ALTER TABLE phaseline.scheduled_tasks_template
  -- NULL if the outline does not say it.
  ADD COLUMN work_minutes integer,
  -- Days such as 2027-01-04; NULL for none.
  ADD COLUMN except_days jsonb;

-- The next start of an orchestrator builds tables of the new revision next to those of the previous release. Without events there is
-- nothing to build, so the tables are changed in place.
DO $$
DECLARE
  v_table text;
BEGIN
  IF EXISTS (SELECT FROM phaseline.events) THEN RETURN; END IF;
  SELECT 'scheduled_tasks_v' || version INTO STRICT v_table
  FROM phaseline.read_models WHERE name = 'scheduled_tasks' AND state = 'active';
  EXECUTE format('ALTER TABLE phaseline.%I ADD COLUMN work_minutes integer, ADD COLUMN except_days jsonb', v_table);
  EXECUTE format('CREATE OR REPLACE VIEW phaseline.scheduled_tasks AS SELECT * FROM phaseline.%I', v_table);
  UPDATE phaseline.read_models SET revision = 8 WHERE state = 'active';
END
$$;
