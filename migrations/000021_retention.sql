-- Retention: the removal of files of ended jobs, with an event that names them in the same commit.

-- The rule of 000002_append.sql, with the events of retention, and with requests for the changes of an ended job.
CREATE OR REPLACE FUNCTION phaseline.may_follow(p_previous text, p_next text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN p_previous IN ('JobCompleted', 'JobCancelled') THEN
    p_next IN ('JobErased', 'RepositoryOutputRequested', 'FilesRemoved', 'HoldPlaced', 'HoldReleased')
  WHEN p_previous = 'JobFailed' THEN
    p_next IN ('JobErased', 'JobRetried', 'RepositoryOutputRequested', 'FilesRemoved', 'HoldPlaced', 'HoldReleased')
  WHEN p_previous IN ('JobErased', 'PhaseCompleted', 'PhaseFailed', 'PhaseCancelled') THEN false
  ELSE true
END;

-- How long each tenant keeps the files and vectors of ended jobs. Without a row they are kept.
CREATE TABLE phaseline.retention_settings (
  tenant     text COLLATE "C" PRIMARY KEY,
  files_days integer NOT NULL CHECK (files_days >= 0)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.retention_settings TO phaseline_service;

-- Which correlations refer to which content, so that nothing is removed that another job needs. Filled by reference_files. Any text
-- that looks like a hash counts: there can be unnecessary references, but never a missing one. A hash in the metadata of an event is
-- content of the event itself (a long text), without which the log could not be read.
CREATE TABLE phaseline.file_references (
  hash           bytea NOT NULL,
  correlation_id text COLLATE "C" NOT NULL,
  of_event       boolean NOT NULL,
  PRIMARY KEY (hash, correlation_id, of_event)
);
CREATE INDEX file_references_correlation ON phaseline.file_references (correlation_id);
CREATE TABLE phaseline.file_reference_progress (
  only_row       boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  transaction_id xid8 NOT NULL
);
INSERT INTO phaseline.file_reference_progress (transaction_id) VALUES ('0');
-- Correlations whose removal has finished: they need none of their files.
CREATE TABLE phaseline.released_files (
  correlation_id text COLLATE "C" PRIMARY KEY
);
GRANT SELECT ON phaseline.file_references, phaseline.file_reference_progress, phaseline.released_files TO phaseline_service;

-- A fork reads the events of its parent, and therefore needs the files that these name.
CREATE INDEX events_forks ON phaseline.events ((data -> 'parent' ->> 'jobId')) WHERE type = 'JobForked';

-- Records the references of about p_events events below the oldest open transaction. Returns the number of events read.
CREATE FUNCTION phaseline.reference_files(p_events integer) RETURNS integer
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
  UPDATE phaseline.file_reference_progress SET transaction_id = v_to;
  RETURN v_done;
END
$$;

-- Whether another correlation needs this content, or an event does.
CREATE FUNCTION phaseline.is_content_needed(p_hash bytea, p_correlation_id text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT EXISTS (
    SELECT FROM phaseline.file_references AS r
    WHERE r.hash = p_hash AND (r.of_event OR (r.correlation_id <> p_correlation_id
      AND NOT EXISTS (SELECT FROM phaseline.released_files AS f WHERE f.correlation_id = r.correlation_id))))
$$;

-- The next p_limit files of a job that can be removed: no other job and no event needs them, and nobody stored them within p_grace.
CREATE FUNCTION phaseline.removable_files(p_correlation_id text, p_grace interval, p_limit integer)
RETURNS TABLE (hash bytea, size bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT c.hash, c.size FROM (
    SELECT b.hash, b.size, b.stored_at FROM phaseline.blobs AS b
    UNION ALL SELECT m.hash, m.size, m.stored_at FROM phaseline.blob_manifests AS m
  ) AS c JOIN phaseline.file_references AS r ON r.hash = c.hash AND r.correlation_id = p_correlation_id AND NOT r.of_event
  WHERE c.stored_at < now() - p_grace AND NOT phaseline.is_content_needed(c.hash, p_correlation_id)
    AND NOT EXISTS (SELECT FROM phaseline.blob_pieces AS p WHERE p.piece = c.hash)
  ORDER BY c.hash LIMIT p_limit
$$;

-- Removes the files that the event FilesRemoved of this transaction names, and the vectors of the job. The event must be in the log
-- already, and everything is checked again under locks: a writer that stores or refers to the same content waits, or is seen here.
CREATE FUNCTION phaseline.remove_files(p_correlation_id text, p_grace interval) RETURNS void
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
    DELETE FROM phaseline.vector_files AS f WHERE f.job_id::text = p_correlation_id;
  END IF;
END
$$;

REVOKE ALL ON FUNCTION phaseline.reference_files, phaseline.is_content_needed, phaseline.removable_files, phaseline.remove_files
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.reference_files, phaseline.removable_files, phaseline.remove_files TO phaseline_service;

-- Now two functions delete content: collect_blobs what nothing refers to, remove_files what an event names.
DROP TRIGGER blobs_are_append_only ON phaseline.blobs;
CREATE TRIGGER blobs_are_append_only BEFORE UPDATE OF hash, content OR DELETE OR TRUNCATE ON phaseline.blobs
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('(collect_blobs|remove_files)');
DROP TRIGGER blob_manifests_are_append_only ON phaseline.blob_manifests;
CREATE TRIGGER blob_manifests_are_append_only BEFORE UPDATE OF hash, size, pieces OR DELETE OR TRUNCATE ON phaseline.blob_manifests
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('(collect_blobs|remove_files)');
DROP TRIGGER blob_pieces_are_append_only ON phaseline.blob_pieces;
CREATE TRIGGER blob_pieces_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseline.blob_pieces
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('(collect_blobs|remove_files)');
ALTER TABLE phaseline.blobs ENABLE ALWAYS TRIGGER blobs_are_append_only;
ALTER TABLE phaseline.blob_manifests ENABLE ALWAYS TRIGGER blob_manifests_are_append_only;
ALTER TABLE phaseline.blob_pieces ENABLE ALWAYS TRIGGER blob_pieces_are_append_only;
