-- Learning traces of ended jobs can be removed after a time per tenant. The projection removes them when it reads the event that says so, so that a
-- rebuild of the table ends with the same rows.

ALTER TABLE phaseline.retention_settings ADD COLUMN learning_days integer CHECK (learning_days >= 0);

-- A run reports a job once per kind of removal.
ALTER TABLE phaseline.retention_run_jobs DROP CONSTRAINT retention_run_jobs_run_id_job_id_key;
CREATE UNIQUE INDEX retention_run_jobs_once ON phaseline.retention_run_jobs (run_id, job_id, (outcome ->> 'kind' = 'traces-removed'));

-- Promoted learning traces stay, and so do those of decisions that are read later: promotions, and overrides of guards, which limits count.
CREATE INDEX learning_traces_removable ON phaseline.learning_traces (tenant, recorded_at)
  WHERE scope = 'job' AND action NOT IN ('promote_trace', 'override_guard');

-- Removes what the event LearningTracesRemoved with this id names. Only events before it count: a job that was running or on hold then keeps its
-- learning traces, and so does a retry what it recorded later.
CREATE FUNCTION phaseline.remove_learning_traces(p_event_id uuid) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH named AS MATERIALIZED (
    SELECT r.transaction_id, r.position, r.data ->> 'tenant' AS tenant, j.id AS job_id
    FROM phaseline.events AS r, LATERAL json_array_elements_text(r.data -> 'jobs') AS j(id)
    WHERE r.event_id = p_event_id AND r.type = 'LearningTracesRemoved' AND r.stream_id = 'retention-' || (r.data ->> 'tenant')
  ), due AS MATERIALIZED (
    SELECT n.* FROM named AS n
    WHERE coalesce((
        SELECT e.type <> 'JobRetried' FROM phaseline.events AS e
        WHERE e.stream_id = 'job-' || n.job_id AND (e.transaction_id, e.position) < (n.transaction_id, n.position)
          AND e.type IN ('JobCompleted', 'JobFailed', 'JobCancelled', 'JobRetried', 'JobErased')
        ORDER BY e.version DESC LIMIT 1), false)
      AND coalesce((
        SELECT e.type = 'HoldReleased' FROM phaseline.events AS e
        WHERE e.correlation_id = n.job_id AND (e.transaction_id, e.position) < (n.transaction_id, n.position)
          AND e.type IN ('HoldPlaced', 'HoldReleased')
        ORDER BY e.position DESC LIMIT 1), true)
  ), removed AS (
    DELETE FROM phaseline.learning_traces AS t USING due AS d
    WHERE t.job_id = d.job_id::uuid AND t.tenant = d.tenant
      AND t.scope = 'job' AND t.action NOT IN ('promote_trace', 'override_guard')
      AND EXISTS (SELECT FROM phaseline.events AS e
                  WHERE e.event_id = t.id AND (e.transaction_id, e.position) < (d.transaction_id, d.position))
    RETURNING 1
  )
  SELECT count(*) FROM removed
$$;
REVOKE ALL ON FUNCTION phaseline.remove_learning_traces FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.remove_learning_traces TO phaseline_service;
