-- The inbox also shows the blocked todos of running jobs, and blocked jobs. The read model jobs therefore contains the blocked todos of the
-- current phase: [{todoId, position, blockedAt}].

ALTER TABLE phaseline.jobs_template ADD COLUMN blocked_todos jsonb NOT NULL DEFAULT '[]';

-- Finds the few jobs that wait for a person among all others. Blocked jobs are found by their status.
DROP INDEX phaseline.jobs_template_tenant_idx;
CREATE INDEX ON phaseline.jobs_template (tenant)
  WHERE awaiting_approval <> '[]' OR awaiting_answer <> '[]' OR blocked_todos <> '[]';

-- The next start of an orchestrator builds tables of the new revision next to those of the previous release. Without events there is
-- nothing to build, so the tables are changed in place.
DO $$
DECLARE
  v_table text;
BEGIN
  IF EXISTS (SELECT FROM phaseline.events) THEN RETURN; END IF;
  SELECT 'jobs_v' || version INTO STRICT v_table FROM phaseline.read_models WHERE name = 'jobs' AND state = 'active';
  EXECUTE format('ALTER TABLE phaseline.%I ADD COLUMN blocked_todos jsonb NOT NULL DEFAULT ''[]''', v_table);
  EXECUTE format('DROP INDEX IF EXISTS phaseline.%I', v_table || '_tenant_idx');
  EXECUTE format(
    'CREATE INDEX ON phaseline.%I (tenant) WHERE awaiting_approval <> ''[]'' OR awaiting_answer <> ''[]'' OR blocked_todos <> ''[]''',
    v_table
  );
  EXECUTE format('CREATE OR REPLACE VIEW phaseline.jobs AS SELECT * FROM phaseline.%I', v_table);
  UPDATE phaseline.read_models SET revision = 4 WHERE state = 'active';
END
$$;
