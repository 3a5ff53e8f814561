-- The cost of a run of retention grows with the jobs whose time is over, not with all jobs that ever ended.

-- Ended jobs of which retention has something to remove. Derived from the log by reference_files, so a job is a candidate once a run has
-- read its end. Encrypted jobs are never candidates, because they are erased instead.
CREATE TABLE phaseline.retention_candidates (
  correlation_id text COLLATE "C" PRIMARY KEY,
  tenant         text COLLATE "C" NOT NULL,
  ended_at       timestamptz NOT NULL,
  has_vectors    boolean NOT NULL
);
CREATE INDEX retention_candidates_ended ON phaseline.retention_candidates (tenant, ended_at, correlation_id);
CREATE INDEX retention_candidates_vectors ON phaseline.retention_candidates (tenant, ended_at, correlation_id) WHERE has_vectors;
GRANT SELECT ON phaseline.retention_candidates TO phaseline_service;

-- Decides from the log which of these correlations are candidates. Repeating it changes nothing.
CREATE FUNCTION phaseline.refresh_candidates(p_correlation_ids text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH latest AS (
    SELECT j.id, l.type, l.recorded_at FROM unnest(p_correlation_ids) AS j(id), LATERAL (
      SELECT e.type, e.recorded_at FROM phaseline.events AS e
      WHERE e.stream_id = 'job-' || j.id AND e.type IN ('JobCompleted', 'JobFailed', 'JobCancelled', 'JobRetried', 'JobErased')
      ORDER BY e.version DESC LIMIT 1) AS l
  ), candidates AS (
    SELECT l.id, l.recorded_at, coalesce(s.data ->> 'tenant', s.data -> 'carried' ->> 'tenant', 'default') AS tenant,
      EXISTS (SELECT FROM phaseline.vector_files AS v WHERE v.job_id = l.id::uuid) AS has_vectors
    FROM latest AS l JOIN phaseline.events AS s ON s.stream_id = 'job-' || l.id AND s.version = 1
    WHERE l.type NOT IN ('JobRetried', 'JobErased') AND NOT phaseline.is_encrypted_job(l.id)
      AND NOT EXISTS (SELECT FROM phaseline.released_files AS f WHERE f.correlation_id = l.id)
  ), removed AS (
    DELETE FROM phaseline.retention_candidates AS c
    WHERE c.correlation_id = ANY (p_correlation_ids) AND NOT EXISTS (SELECT FROM candidates AS n WHERE n.id = c.correlation_id)
  )
  INSERT INTO phaseline.retention_candidates AS c (correlation_id, tenant, ended_at, has_vectors)
  SELECT n.id, n.tenant, n.recorded_at, n.has_vectors FROM candidates AS n
  ON CONFLICT (correlation_id) DO UPDATE SET ended_at = excluded.ended_at, has_vectors = excluded.has_vectors
$$;
REVOKE ALL ON FUNCTION phaseline.refresh_candidates FROM PUBLIC;

-- As in 000021_retention.sql, and keeps retention_candidates current. Records the references of about p_events events below the oldest open transaction. Returns the number of events read.
CREATE OR REPLACE FUNCTION phaseline.reference_files(p_events integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_from xid8;
  v_done integer;
  v_to   xid8;
BEGIN
  SELECT transaction_id INTO v_from FROM phaseline.file_reference_progress FOR UPDATE;
  SELECT count(*), max(n.transaction_id) INTO v_done, v_to FROM (
    SELECT e.transaction_id FROM phaseline.events AS e
    WHERE e.transaction_id > v_from AND e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY e.transaction_id LIMIT p_events
  ) AS n;
  IF v_done = 0 THEN
    RETURN 0;
  END IF;
  INSERT INTO phaseline.file_references (hash, correlation_id, of_event)
  SELECT h, e.correlation_id, false FROM phaseline.events AS e, LATERAL phaseline.hashes_in(e.data::text) AS h
  WHERE e.transaction_id > v_from AND e.transaction_id <= v_to
  UNION SELECT h, e.correlation_id, true FROM phaseline.events AS e, LATERAL phaseline.hashes_in(e.metadata::text) AS h
  WHERE e.transaction_id > v_from AND e.transaction_id <= v_to
  ON CONFLICT DO NOTHING;
  PERFORM phaseline.refresh_candidates(ARRAY(
    SELECT DISTINCT e.correlation_id FROM phaseline.events AS e
    WHERE e.transaction_id > v_from AND e.transaction_id <= v_to AND e.stream_id = 'job-' || e.correlation_id
      AND e.type IN ('JobCompleted', 'JobFailed', 'JobCancelled', 'JobRetried', 'JobErased', 'FilesRemoved', 'VectorsRemoved')));
  UPDATE phaseline.file_reference_progress SET transaction_id = v_to;
  RETURN v_done;
END
$$;

-- The log is read again from its start, by the next run, so that jobs that have ended already become candidates.
UPDATE phaseline.file_reference_progress SET transaction_id = '0';

-- Why files of a job are not removed now: other jobs need them, or they were stored within p_grace.
CREATE FUNCTION phaseline.count_kept_files(p_correlation_id text, p_grace interval)
RETURNS TABLE (needed_elsewhere bigint, recently_stored bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT count(*) FILTER (WHERE k.is_needed), count(*) FILTER (WHERE NOT k.is_needed AND k.stored_at >= now() - p_grace)
  FROM (
    SELECT c.stored_at, phaseline.is_content_needed(c.hash, p_correlation_id)
      OR EXISTS (SELECT FROM phaseline.blob_pieces AS p WHERE p.piece = c.hash) AS is_needed
    FROM (
      SELECT b.hash, b.stored_at FROM phaseline.blobs AS b
      UNION ALL SELECT m.hash, m.stored_at FROM phaseline.blob_manifests AS m
    ) AS c JOIN phaseline.file_references AS r ON r.hash = c.hash AND r.correlation_id = p_correlation_id AND NOT r.of_event
  ) AS k
$$;
REVOKE ALL ON FUNCTION phaseline.count_kept_files FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.count_kept_files TO phaseline_service;

-- As in 000026_vector_retention.sql, and the job is no candidate any more.
-- Removes the files that the event FilesRemoved of this transaction names, and the vectors of the job. The event must be in the log
-- already, and everything is checked again under locks: a writer that stores or refers to the same content waits, or is seen here.
CREATE OR REPLACE FUNCTION phaseline.remove_files(p_correlation_id text, p_grace interval) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  v_from   xid8;
  v_data   jsonb;
  v_hashes bytea[];
  v_kept   bytea;
BEGIN
  SELECT transaction_id INTO v_from FROM phaseline.file_reference_progress FOR UPDATE;
  SELECT e.data::jsonb INTO v_data FROM phaseline.events AS e
  WHERE e.stream_id = 'job-' || p_correlation_id AND e.type = 'FilesRemoved' AND e.transaction_id = pg_current_xact_id()
  ORDER BY e.version DESC LIMIT 1;
  IF v_data IS NULL THEN
    RAISE EXCEPTION 'files of % may only be removed in the transaction of an event FilesRemoved', p_correlation_id
      USING ERRCODE = 'PL010', HINT = 'Append the event first.';
  END IF;
  v_hashes := ARRAY(SELECT decode(h, 'hex') FROM jsonb_array_elements_text(v_data -> 'hashes') AS h);
  PERFORM FROM phaseline.blob_manifests AS m WHERE m.hash = ANY (v_hashes) ORDER BY m.hash FOR UPDATE;
  PERFORM FROM phaseline.blobs AS b WHERE b.hash = ANY (v_hashes) ORDER BY b.hash FOR UPDATE;

  -- A new statement sees what was committed before the locks were taken.
  SELECT h INTO v_kept FROM unnest(v_hashes) AS h
  WHERE phaseline.is_content_needed(h, p_correlation_id)
    OR EXISTS (SELECT FROM phaseline.blobs AS b WHERE b.hash = h AND b.stored_at >= now() - p_grace)
    OR EXISTS (SELECT FROM phaseline.blob_manifests AS m WHERE m.hash = h AND m.stored_at >= now() - p_grace)
    OR EXISTS (SELECT FROM phaseline.blob_pieces AS p WHERE p.piece = h AND p.hash <> ALL (v_hashes))
    OR h IN (SELECT l FROM phaseline.events AS e, LATERAL phaseline.hashes_in(concat(e.data, ' ', e.metadata)) AS l
             WHERE e.transaction_id > v_from AND e.correlation_id <> p_correlation_id)
  LIMIT 1;
  IF v_kept IS NULL THEN
    SELECT ''::bytea INTO v_kept FROM phaseline.events AS e
    WHERE e.type = 'JobForked' AND e.data -> 'parent' ->> 'jobId' = p_correlation_id
      AND NOT EXISTS (SELECT FROM phaseline.released_files AS f WHERE f.correlation_id = e.correlation_id) LIMIT 1;
  END IF;
  IF v_kept IS NOT NULL THEN
    RAISE EXCEPTION 'content % of % is needed since the removal was decided', encode(v_kept, 'hex'), p_correlation_id
      USING ERRCODE = 'PL011', HINT = 'Decide again which files can be removed.';
  END IF;

  DELETE FROM phaseline.blob_manifests AS m WHERE m.hash = ANY (v_hashes);
  DELETE FROM phaseline.blobs AS b WHERE b.hash = ANY (v_hashes);
  IF NOT (v_data ->> 'hasMore')::boolean THEN
    INSERT INTO phaseline.released_files (correlation_id) VALUES (p_correlation_id) ON CONFLICT DO NOTHING;
    DELETE FROM phaseline.retention_candidates AS c WHERE c.correlation_id = p_correlation_id;
    PERFORM phaseline.forget_vectors(p_correlation_id::uuid);
  END IF;
END
$$;
