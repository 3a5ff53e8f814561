-- Vectors of ended jobs can be removed earlier than the files, or while the files are kept.

-- NULL: the files are kept for ever; the vectors are kept as long as the files. Who changed the setting last is known since this migration.
ALTER TABLE phaseline.retention_settings
  ALTER COLUMN files_days DROP NOT NULL,
  ADD COLUMN vectors_days integer CHECK (vectors_days >= 0),
  ADD COLUMN changed_at timestamptz,
  ADD COLUMN changed_by text;

-- The rule of 000021_retention.sql, with VectorsRemoved.
CREATE OR REPLACE FUNCTION phaseline.may_follow(p_previous text, p_next text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN p_previous IN ('JobCompleted', 'JobCancelled') THEN
    p_next IN ('JobErased', 'RepositoryOutputRequested', 'FilesRemoved', 'VectorsRemoved', 'HoldPlaced', 'HoldReleased')
  WHEN p_previous = 'JobFailed' THEN
    p_next IN ('JobErased', 'JobRetried', 'RepositoryOutputRequested', 'FilesRemoved', 'VectorsRemoved', 'HoldPlaced', 'HoldReleased')
  WHEN p_previous IN ('JobErased', 'PhaseCompleted', 'PhaseFailed', 'PhaseCancelled') THEN false
  ELSE true
END;

-- Removes the vectors of a job, with the event VectorsRemoved of this transaction, which must be in the log already and count them.
CREATE FUNCTION phaseline.remove_vectors(p_correlation_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_named integer;
  v_found integer;
BEGIN
  SELECT (e.data ->> 'vectorFiles')::integer INTO v_named FROM phaseline.events AS e
  WHERE e.stream_id = 'job-' || p_correlation_id AND e.type = 'VectorsRemoved' AND e.transaction_id = pg_current_xact_id()
  ORDER BY e.version DESC LIMIT 1;
  IF v_named IS NULL THEN
    RAISE EXCEPTION 'vectors of % may only be removed in the transaction of an event VectorsRemoved', p_correlation_id
      USING ERRCODE = 'PL010', HINT = 'Append the event first.';
  END IF;
  PERFORM FROM phaseline.vector_files AS f WHERE f.job_id = p_correlation_id::uuid ORDER BY f.space, f.file_hash FOR UPDATE;
  GET DIAGNOSTICS v_found = ROW_COUNT;
  IF v_found <> v_named THEN
    RAISE EXCEPTION 'the vectors of % changed since the removal was decided', p_correlation_id
      USING ERRCODE = 'PL011', HINT = 'Count them again.';
  END IF;
  PERFORM phaseline.forget_vectors(p_correlation_id::uuid);
END
$$;
REVOKE ALL ON FUNCTION phaseline.remove_vectors FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.remove_vectors TO phaseline_service;

-- As in 000021_retention.sql, except that the embeddings of the job are deleted too, not only their locations: an embedding tells much
-- about its text.
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
    PERFORM phaseline.forget_vectors(p_correlation_id::uuid);
  END IF;
END
$$;
