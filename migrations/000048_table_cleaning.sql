-- Removal of old rows that nothing needs any more, by one orchestrator at a time (libs/orchestration/src/cleaning). Each function checks the
-- oldest p_limit rows between two times, in the order of an index, and removes those that may go. It returns how many rows it checked and
-- removed, and the time of the last one, after which the next call continues. Rows of a job stay while it runs and while a hold is on it.

-- When each table was cleaned last, and with which setting.
CREATE TABLE phaseline.table_cleanings (
  name       text COLLATE "C" PRIMARY KEY,
  -- The orchestrator that set it cleans the table.
  started_at timestamptz NOT NULL,
  kept_days  integer NOT NULL CHECK (kept_days > 0),
  -- NULL while the first cleaning runs.
  ended_at   timestamptz,
  -- Rows that the last complete cleaning removed.
  removed    bigint NOT NULL DEFAULT 0
);
GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.table_cleanings TO phaseline_service;

CREATE FUNCTION phaseline.is_on_hold(p_job_id text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce((
    SELECT e.type = 'HoldPlaced' FROM phaseline.events AS e
    WHERE e.correlation_id = p_job_id AND e.type IN ('HoldPlaced', 'HoldReleased') ORDER BY e.position DESC LIMIT 1), false)
$$;

-- Whether a job ended before this time, and no hold is on it.
CREATE FUNCTION phaseline.is_long_ended(p_job_id text, p_before timestamptz) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce((
    SELECT e.type <> 'JobRetried' AND e.recorded_at < p_before FROM phaseline.events AS e
    WHERE e.stream_id = 'job-' || p_job_id AND e.type IN ('JobCompleted', 'JobFailed', 'JobCancelled', 'JobRetried', 'JobErased')
    ORDER BY e.version DESC LIMIT 1), false) AND NOT phaseline.is_on_hold(p_job_id)
$$;

-- Snapshots only make reads of past states faster. The next read of one takes new ones.
CREATE INDEX snapshots_taken ON phaseline.snapshots (taken_at);
CREATE FUNCTION phaseline.clean_snapshots(p_before timestamptz, p_after timestamptz, p_limit integer)
RETURNS TABLE (checked bigint, removed bigint, last timestamptz)
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  WITH oldest AS MATERIALIZED (
    SELECT s.stream_id, s.fold_version, s.version, s.taken_at FROM phaseline.snapshots AS s
    WHERE s.taken_at < p_before AND s.taken_at > p_after ORDER BY s.taken_at FETCH FIRST (p_limit) ROWS WITH TIES
  ), unneeded AS MATERIALIZED (
    SELECT h.stream_id FROM (SELECT DISTINCT o.stream_id FROM oldest AS o) AS d
    JOIN phaseline.streams AS h USING (stream_id) WHERE phaseline.is_long_ended(h.correlation_id, p_before)
  ), removed AS (
    DELETE FROM phaseline.snapshots AS s USING oldest AS o, unneeded AS u
    WHERE u.stream_id = o.stream_id
      AND s.stream_id = o.stream_id AND s.fold_version = o.fold_version AND s.version = o.version
    RETURNING 1
  )
  SELECT count(*), (SELECT count(*) FROM removed), max(o.taken_at) FROM oldest AS o
$$;

-- The result of a call is needed only while the call may run again.
CREATE INDEX graph_calls_called ON phaseline.graph_calls (called_at);
CREATE FUNCTION phaseline.clean_graph_calls(p_before timestamptz, p_after timestamptz, p_limit integer)
RETURNS TABLE (checked bigint, removed bigint, last timestamptz)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH oldest AS MATERIALIZED (
    SELECT c.job_id, c.call_id, c.called_at FROM phaseline.graph_calls AS c
    WHERE c.called_at < p_before AND c.called_at > p_after ORDER BY c.called_at FETCH FIRST (p_limit) ROWS WITH TIES
  ), unneeded AS MATERIALIZED (
    SELECT d.job_id FROM (SELECT DISTINCT o.job_id FROM oldest AS o) AS d WHERE phaseline.is_long_ended(d.job_id::text, p_before)
  ), removed AS (
    DELETE FROM phaseline.graph_calls AS c USING oldest AS o, unneeded AS u
    WHERE u.job_id = o.job_id AND c.job_id = o.job_id AND c.call_id = o.call_id
    RETURNING 1
  )
  SELECT count(*), (SELECT count(*) FROM removed), max(o.called_at) FROM oldest AS o
$$;

-- Requirements of the cache whose work has ended, with all that refers to them. Every job that wrote or claimed one must have ended too.
-- A later job that states the same requirement creates it again.
CREATE INDEX cached_requirements_ended ON phaseline.cached_requirements (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX requirement_outcomes_entry ON phaseline.requirement_outcomes (entry_id);
CREATE INDEX follow_on_requirements_entry ON phaseline.follow_on_requirements (entry_id);
CREATE INDEX follow_on_requirements_job ON phaseline.follow_on_requirements (job_id);
CREATE FUNCTION phaseline.clean_cached_requirements(p_before timestamptz, p_after timestamptz, p_limit integer)
RETURNS TABLE (checked bigint, removed bigint, last timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_entries bigint[];
  v_writers uuid[];
  v_batches uuid[];
BEGIN
  WITH oldest AS MATERIALIZED (
    SELECT c.id, c.ended_at, c.written_by FROM phaseline.cached_requirements AS c
    WHERE c.ended_at < p_before AND c.ended_at > p_after ORDER BY c.ended_at FETCH FIRST (p_limit) ROWS WITH TIES
  ), users AS MATERIALIZED (
    SELECT o.id AS entry_id, o.written_by AS job_id FROM oldest AS o
    UNION SELECT s.entry_id, s.job_id FROM phaseline.requirement_statements AS s JOIN oldest AS o ON o.id = s.entry_id
    UNION SELECT t.entry_id, t.job_id FROM phaseline.requirement_outcomes AS t JOIN oldest AS o ON o.id = t.entry_id
    UNION SELECT r.entry_id, r.job_id FROM phaseline.follow_on_requirements AS r JOIN oldest AS o ON o.id = r.entry_id
  ), needed AS MATERIALIZED (
    SELECT d.job_id FROM (SELECT DISTINCT u.job_id FROM users AS u) AS d WHERE NOT phaseline.is_long_ended(d.job_id::text, p_before)
  )
  SELECT count(*), max(o.ended_at), coalesce(array_agg(o.id) FILTER (
    WHERE NOT EXISTS (SELECT FROM users AS u JOIN needed AS n ON n.job_id = u.job_id WHERE u.entry_id = o.id)), '{}')
  INTO checked, last, v_entries FROM oldest AS o;

  DELETE FROM phaseline.requirement_outcomes AS t WHERE t.entry_id = ANY (v_entries);
  WITH deleted AS (DELETE FROM phaseline.follow_on_requirements AS r WHERE r.entry_id = ANY (v_entries) RETURNING r.job_id)
  SELECT array_agg(DISTINCT d.job_id) INTO v_batches FROM deleted AS d;
  WITH deleted AS (DELETE FROM phaseline.requirement_statements AS s WHERE s.entry_id = ANY (v_entries) RETURNING s.job_id)
  SELECT array_agg(DISTINCT d.job_id) INTO v_writers FROM deleted AS d;
  DELETE FROM phaseline.cached_requirements AS c WHERE c.id = ANY (v_entries);
  GET DIAGNOSTICS removed = ROW_COUNT;

  DELETE FROM phaseline.cache_writers AS w WHERE w.job_id = ANY (v_writers)
    AND NOT EXISTS (SELECT FROM phaseline.requirement_statements AS s WHERE s.job_id = w.job_id);
  -- The newest batch stays: the number of the next one, and with it the id of its job, follows from it.
  DELETE FROM phaseline.follow_on_batches AS b
  WHERE (b.agent, b.tenant, b.collection) IN (
      SELECT k.agent, k.tenant, k.collection FROM phaseline.follow_on_batches AS k WHERE k.job_id = ANY (v_batches))
    AND b.has_ended AND NOT EXISTS (SELECT FROM phaseline.follow_on_requirements AS r WHERE r.job_id = b.job_id)
    AND EXISTS (SELECT FROM phaseline.follow_on_batches AS n
                WHERE n.agent = b.agent AND n.tenant = b.tenant AND n.collection = b.collection AND n.batch > b.batch);
  RETURN NEXT;
END
$$;

-- Dead letters that a person retried or discarded. Open ones wait for a person.
CREATE INDEX dead_letters_closed ON phaseline.dead_letters (coalesce(retried_at, discarded_at))
  WHERE coalesce(retried_at, discarded_at) IS NOT NULL;
CREATE FUNCTION phaseline.clean_dead_letters(p_before timestamptz, p_after timestamptz, p_limit integer)
RETURNS TABLE (checked bigint, removed bigint, last timestamptz)
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  WITH oldest AS MATERIALIZED (
    SELECT l.id, l.payload ->> 'jobId' AS job_id, coalesce(l.retried_at, l.discarded_at) AS closed_at FROM phaseline.dead_letters AS l
    WHERE coalesce(l.retried_at, l.discarded_at) < p_before AND coalesce(l.retried_at, l.discarded_at) > p_after
    ORDER BY coalesce(l.retried_at, l.discarded_at) FETCH FIRST (p_limit) ROWS WITH TIES
  ), removed AS (
    DELETE FROM phaseline.dead_letters AS l USING oldest AS o
    WHERE l.id = o.id AND (o.job_id IS NULL OR NOT phaseline.is_on_hold(o.job_id))
    RETURNING 1
  )
  SELECT count(*), (SELECT count(*) FROM removed), max(o.closed_at) FROM oldest AS o
$$;

-- Runs of retention that have ended, after what they did with each job. What they removed stays in the log.
CREATE FUNCTION phaseline.clean_retention_runs(p_before timestamptz, p_after timestamptz, p_limit integer)
RETURNS TABLE (checked bigint, removed bigint, last timestamptz)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_run uuid;
BEGIN
  SELECT r.run_id INTO v_run FROM phaseline.retention_runs AS r
  WHERE r.requested_at < p_before AND r.ended_at IS NOT NULL ORDER BY r.requested_at LIMIT 1;
  last := p_after;
  DELETE FROM phaseline.retention_run_jobs AS j WHERE j.run_id = v_run
    AND j.number IN (SELECT k.number FROM phaseline.retention_run_jobs AS k WHERE k.run_id = v_run ORDER BY k.number LIMIT p_limit);
  GET DIAGNOSTICS removed = ROW_COUNT;
  IF removed < p_limit THEN
    DELETE FROM phaseline.retention_runs AS r WHERE r.run_id = v_run;
  END IF;
  -- Another call may find more.
  checked := CASE WHEN v_run IS NULL THEN 0 ELSE p_limit END;
  RETURN NEXT;
END
$$;

REVOKE ALL ON FUNCTION phaseline.is_on_hold, phaseline.is_long_ended, phaseline.clean_snapshots, phaseline.clean_graph_calls,
  phaseline.clean_cached_requirements, phaseline.clean_dead_letters, phaseline.clean_retention_runs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.is_on_hold, phaseline.is_long_ended, phaseline.clean_snapshots, phaseline.clean_graph_calls,
  phaseline.clean_cached_requirements, phaseline.clean_dead_letters, phaseline.clean_retention_runs TO phaseline_service;
