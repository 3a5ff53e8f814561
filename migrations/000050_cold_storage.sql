-- Cold storage: the events of the phases of an ended job move to an archive outside of the database. docs/concepts/cold-storage.md
-- describes it. The stream of the job itself stays, and so do the heads of all streams, so that rules about jobs need no archive, and
-- anchors still prove what an archive must contain.

-- The role of the connection that moves jobs. Its login is a member of phaseline_service as well, because it appends the event of the
-- move. Created like phaseline_service in 000001_event_log.sql.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'phaseline_archivist') THEN
    CREATE ROLE phaseline_archivist NOLOGIN;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'the role phaseline_archivist does not exist, and this user may not create it'
      USING HINT = 'As a superuser run: CREATE ROLE phaseline_archivist NOLOGIN; then migrate again.';
END
$$;
GRANT USAGE ON SCHEMA phaseline TO phaseline_archivist;

-- The rule of 000031_outputs_after_end.sql, with JobMovedToColdStorage.
CREATE OR REPLACE FUNCTION phaseline.may_follow(p_previous text, p_next text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN p_previous IN ('JobCompleted', 'JobCancelled', 'JobFailed') THEN
    p_next IN (
      'JobErased', 'RepositoryChanged', 'RepositoryOutputRequested', 'RepositoryOutputMade', 'RepositoryOutputFailed',
      'FilesRemoved', 'VectorsRemoved', 'HoldPlaced', 'HoldReleased', 'JobMovedToColdStorage')
    OR (p_previous = 'JobFailed' AND p_next = 'JobRetried')
  WHEN p_previous IN ('JobErased', 'PhaseCompleted', 'PhaseFailed', 'PhaseCancelled') THEN false
  ELSE true
END;

-- As in 000002_append.sql, and refuses an append to a stream whose last event is in cold storage, as that event ended the stream. This
-- costs the other appends nothing.
CREATE OR REPLACE FUNCTION phaseline.append(
  p_stream_ids          text[],
  p_stream_correlations text[],
  p_append_units        integer[],
  p_append_streams      integer[],
  p_expected            bigint[],
  p_event_counts        integer[],
  p_closes              boolean[],
  p_wakes               boolean[],
  p_event_streams       integer[],
  p_event_ids           uuid[],
  p_types               text[],
  p_schema_versions     integer[],
  p_data                text[],
  p_metadata            text[],
  p_blob_units          integer[],
  p_blob_hashes         bytea[],
  p_blob_contents       bytea[],
  p_reopens             boolean[]
) RETURNS TABLE (
  status      integer,
  version     bigint,
  "position"  bigint,
  hash        bytea,
  recorded_at timestamptz,
  event_id    uuid
)
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
AS $$
#variable_conflict use_column
DECLARE
  v_now         timestamptz;
  v_now_text    text;
  -- heads per stream
  h_version     bigint[];
  h_hash        bytea[];
  h_closed      boolean[];
  h_correlation text[];
  h_exists      boolean[];
  -- type of the stream's last event, if this batch wrote to the stream or had to read it
  h_type        text[] := array_fill(NULL::text, ARRAY[cardinality(p_stream_ids)]);
  -- Filled rather than empty: if the first element set in an empty array is its third, the array starts at index 3, and unnest would
  -- return the third stream or event as the first.
  h_touched     boolean[] := array_fill(false, ARRAY[cardinality(p_stream_ids)]);
  -- result per event; NULL if its unit is rejected
  e_version     bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(p_event_ids)]);
  e_position    bigint[] := array_fill(NULL::bigint, ARRAY[cardinality(p_event_ids)]);
  e_hash        bytea[] := array_fill(NULL::bytea, ARRAY[cardinality(p_event_ids)]);
  -- what the log already contains of each event; NULL if it contains none of them
  k_stream      text[];
  k_version     bigint[];
  k_position    bigint[];
  k_hash        bytea[];
  k_recorded_at timestamptz[];
  u_refused     boolean[] := '{}';
  v_known       boolean;
  v_appends     integer := array_length(p_append_units, 1);
  v_first       integer := 1;   -- first append of the current unit
  v_last        integer;        -- last append of the current unit
  v_event       integer := 0;   -- last event before the current append
  v_unit_event  integer := 0;   -- last event before the current unit
  v_bad         integer;        -- the append because of which the unit is rejected
  v_bad_status  integer;
  v_found       integer;        -- number of events of the unit that are already in the log
  v_strange     integer;        -- an append of the unit with an event that is not in the log, or is in another stream
  v_stream      integer;
  v_type        text;
  v_version     bigint;
  v_hash        bytea;
  v_inserts     boolean := false;
  v_updates     boolean := false;
BEGIN
  -- The locks below must be taken before this transaction has an id. Otherwise a transaction with an older id could commit
  -- its events later, and within one correlation positions would not follow the order of commits.
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'the append must be the first write of its transaction' USING ERRCODE = 'PL002';
  END IF;

  -- Sorted, so that two batches never deadlock. The lock covers every stream of the correlation, because a stream never changes
  -- its correlation; so no row of streams needs a lock of its own.
  PERFORM pg_advisory_xact_lock(l.key)
  FROM (SELECT DISTINCT hashtextextended(c, 7406318255) AS key FROM unnest(p_stream_correlations) AS c ORDER BY key) AS l;

  -- All later statements see what the previous holders of these locks have committed.
  SELECT array_agg(coalesce(h.version, 0) ORDER BY s.n),
         array_agg(coalesce(h.hash, '\x0000000000000000000000000000000000000000000000000000000000000000') ORDER BY s.n),
         array_agg(h.closed ORDER BY s.n), array_agg(h.correlation_id ORDER BY s.n), array_agg(h.version IS NOT NULL ORDER BY s.n),
         EXISTS (SELECT FROM phaseline.events AS k WHERE k.event_id = ANY (p_event_ids)), clock_timestamp()
    INTO h_version, h_hash, h_closed, h_correlation, h_exists, v_known, v_now
    FROM unnest(p_stream_ids) WITH ORDINALITY AS s(id, n)
    LEFT JOIN phaseline.streams AS h ON h.stream_id = s.id;
  v_now_text := to_char(v_now AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

  IF v_known THEN
    SELECT array_agg(k.stream_id ORDER BY i.n), array_agg(k.version ORDER BY i.n), array_agg(k.position ORDER BY i.n),
           array_agg(k.hash ORDER BY i.n), array_agg(k.recorded_at ORDER BY i.n)
      INTO k_stream, k_version, k_position, k_hash, k_recorded_at
      FROM unnest(p_event_ids) WITH ORDINALITY AS i(id, n)
      LEFT JOIN phaseline.events AS k ON k.event_id = i.id;
  END IF;

  WHILE v_first <= v_appends LOOP
    v_last := v_first;
    WHILE v_last < v_appends AND p_append_units[v_last + 1] = p_append_units[v_first] LOOP
      v_last := v_last + 1;
    END LOOP;
    v_bad := NULL;

    -- Is the unit already in the log, completely or in part?
    IF v_known THEN
      v_found := 0;
      v_strange := NULL;
      v_unit_event := v_event;
      FOR a IN v_first .. v_last LOOP
        FOR e IN v_event + 1 .. v_event + p_event_counts[a] LOOP
          IF k_stream[e] IS NOT NULL THEN
            v_found := v_found + 1;
            event_id := p_event_ids[e];
          END IF;
          IF k_stream[e] IS DISTINCT FROM p_stream_ids[p_append_streams[a]] THEN
            v_strange := coalesce(v_strange, a);
          END IF;
        END LOOP;
        v_event := v_event + p_event_counts[a];
      END LOOP;
      v_event := v_unit_event;

      IF v_found > 0 AND v_strange IS NULL THEN
        event_id := NULL;
        FOR a IN v_first .. v_last LOOP
          v_event := v_event + p_event_counts[a];
          status := 1;
          version := k_version[v_event];
          position := k_position[v_event];
          hash := k_hash[v_event];
          recorded_at := k_recorded_at[v_event];
          RETURN NEXT;
        END LOOP;
        -- Its blobs were stored the first time.
        u_refused[p_append_units[v_first]] := true;
        v_first := v_last + 1;
        CONTINUE;
      END IF;
      IF v_found > 0 THEN
        v_bad := v_strange;
        v_bad_status := 4;
      END IF;
    END IF;

    IF v_bad IS NULL THEN
      v_unit_event := v_event;
      FOR a IN v_first .. v_last LOOP
        v_stream := p_append_streams[a];
        IF h_correlation[v_stream] <> p_stream_correlations[v_stream] THEN
          v_bad := a;
          v_bad_status := 5;
        ELSIF h_closed[v_stream] AND NOT p_reopens[a] THEN
          v_bad := a;
          v_bad_status := 3;
        ELSIF p_expected[a] >= 0 AND p_expected[a] <> h_version[v_stream] THEN
          v_bad := a;
          v_bad_status := 2;
        ELSE
          -- After an end only the events that may follow it are accepted, also within one append. An open stream has not ended.
          v_type := h_type[v_stream];
          IF h_closed[v_stream] AND v_type IS NULL THEN
            SELECT e.type INTO v_type FROM phaseline.events AS e
            WHERE e.stream_id = p_stream_ids[v_stream] AND e.version = h_version[v_stream];
            IF v_type IS NULL THEN
              v_bad := a;
              v_bad_status := 3;
            END IF;
          END IF;
          FOR e IN v_unit_event + 1 .. v_unit_event + p_event_counts[a] LOOP
            IF NOT phaseline.may_follow(v_type, p_types[e]) THEN
              v_bad := a;
              v_bad_status := 3;
            END IF;
            v_type := p_types[e];
          END LOOP;
        END IF;
        EXIT WHEN v_bad IS NOT NULL;
        v_unit_event := v_unit_event + p_event_counts[a];
      END LOOP;
    END IF;

    IF v_bad IS NOT NULL THEN
      FOR a IN v_first .. v_last LOOP
        v_event := v_event + p_event_counts[a];
        status := CASE WHEN a = v_bad THEN v_bad_status ELSE 6 END;
        version := h_version[p_append_streams[a]];
        position := NULL;
        hash := NULL;
        recorded_at := NULL;
        RETURN NEXT;
      END LOOP;
      event_id := NULL;
      u_refused[p_append_units[v_first]] := true;
      v_first := v_last + 1;
      CONTINUE;
    END IF;

    FOR a IN v_first .. v_last LOOP
      v_stream := p_append_streams[a];
      v_version := h_version[v_stream];
      v_hash := h_hash[v_stream];
      FOR e IN v_event + 1 .. v_event + p_event_counts[a] LOOP
        v_version := v_version + 1;
        v_hash := phaseline.event_hash(v_hash, p_stream_ids[v_stream], v_version, p_event_ids[e], p_types[e],
          p_schema_versions[e], v_now_text, p_stream_correlations[v_stream], p_data[e], p_metadata[e]);
        e_version[e] := v_version;
        e_position[e] := nextval('phaseline.events_position_seq');
        e_hash[e] := v_hash;
      END LOOP;
      v_event := v_event + p_event_counts[a];

      h_version[v_stream] := v_version;
      h_hash[v_stream] := v_hash;
      h_type[v_stream] := p_types[v_event];
      h_closed[v_stream] := p_closes[a] OR phaseline.is_end(h_type[v_stream]);
      h_correlation[v_stream] := p_stream_correlations[v_stream];
      h_touched[v_stream] := true;
      IF h_exists[v_stream] THEN
        v_updates := true;
      ELSE
        v_inserts := true;
      END IF;
      IF p_wakes[a] THEN
        PERFORM pg_notify('phaseline_control', p_stream_correlations[v_stream]);
      END IF;

      status := 0;
      version := v_version;
      position := e_position[v_event];
      hash := v_hash;
      recorded_at := v_now;
      RETURN NEXT;
    END LOOP;
    v_first := v_last + 1;
  END LOOP;

  -- Sorted, because two batches with the same new blobs wait for each other row by row. An existing blob is locked and, if it is old,
  -- gets a new stored_at: collect_blobs removes neither.
  IF array_length(p_blob_units, 1) > 0 THEN
    INSERT INTO phaseline.blobs AS known (hash, content)
    SELECT DISTINCT ON (b.hash) b.hash, b.content
    FROM unnest(p_blob_units, p_blob_hashes, p_blob_contents) AS b(unit, hash, content)
    WHERE u_refused[b.unit] IS NOT TRUE
    ORDER BY b.hash
    ON CONFLICT (hash) DO UPDATE SET stored_at = now() WHERE known.stored_at < now() - interval '1 hour';
  END IF;

  IF v_inserts THEN
    INSERT INTO phaseline.streams (stream_id, version, hash, correlation_id, closed, updated_at)
    SELECT p_stream_ids[t.n], h_version[t.n], h_hash[t.n], h_correlation[t.n], h_closed[t.n], v_now
    FROM unnest(h_touched) WITH ORDINALITY AS t(touched, n)
    WHERE t.touched AND NOT h_exists[t.n];
  END IF;
  IF v_updates THEN
    UPDATE phaseline.streams AS h
    SET version = h_version[t.n], hash = h_hash[t.n], closed = h_closed[t.n], updated_at = v_now
    FROM unnest(h_touched) WITH ORDINALITY AS t(touched, n)
    WHERE t.touched AND h_exists[t.n] AND h.stream_id = p_stream_ids[t.n];
  END IF;

  IF v_inserts OR v_updates THEN
    INSERT INTO phaseline.events (position, version, transaction_id, recorded_at, event_id, schema_version, stream_id,
                                  type, correlation_id, hash, data, metadata)
    OVERRIDING SYSTEM VALUE
    SELECT e.position, e.version, pg_current_xact_id(), v_now, e.event_id, e.schema_version, p_stream_ids[e.stream],
           e.type, p_stream_correlations[e.stream], e.hash, e.data::json, e.metadata::json
    FROM unnest(e_position, e_version, e_hash, p_event_streams, p_event_ids, p_types, p_schema_versions, p_data, p_metadata)
      AS e(position, version, hash, stream, event_id, type, schema_version, data, metadata)
    WHERE e.version IS NOT NULL;
  END IF;
END
$$;

-- The archives, each with the events of closed phases of one job. A job that was retried after a move can have several.
CREATE TABLE phaseline.cold_archives (
  archive              text COLLATE "C" PRIMARY KEY,
  correlation_id       text COLLATE "C" NOT NULL,
  sha256               bytea NOT NULL,
  bytes                bigint NOT NULL,
  events               bigint NOT NULL,
  -- The range of the archive in the order of the tail.
  first_transaction_id xid8 NOT NULL,
  first_position       bigint NOT NULL,
  last_transaction_id  xid8 NOT NULL,
  last_position        bigint NOT NULL,
  moved_at             timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX cold_archives_correlation ON phaseline.cold_archives (correlation_id);
CREATE INDEX cold_archives_tail ON phaseline.cold_archives (last_transaction_id, last_position);

-- The streams without rows in events, and the archive that contains each.
CREATE TABLE phaseline.cold_streams (
  stream_id text COLLATE "C" PRIMARY KEY,
  archive   text COLLATE "C" NOT NULL REFERENCES phaseline.cold_archives
);
CREATE INDEX cold_streams_archive ON phaseline.cold_streams (archive);
GRANT SELECT ON phaseline.cold_archives, phaseline.cold_streams TO phaseline_service, phaseline_archivist;
-- A backup, which any login of a service can make, contains the marks: those of events in cold storage cannot be made again from the log.
GRANT SELECT ON phaseline.blob_marks TO phaseline_service;

-- Without these rows nobody would find the archives.
CREATE TRIGGER cold_archives_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseline.cold_archives
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change();
CREATE TRIGGER cold_streams_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseline.cold_streams
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change();
ALTER TABLE phaseline.cold_archives ENABLE ALWAYS TRIGGER cold_archives_are_append_only;
ALTER TABLE phaseline.cold_streams ENABLE ALWAYS TRIGGER cold_streams_are_append_only;

-- The streams of a job that can move: phases that have ended and have not moved before. '.' follows '-' in ASCII.
CREATE FUNCTION phaseline.movable_streams(p_correlation_id text) RETURNS TABLE (stream_id text, version bigint, hash bytea)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT h.stream_id, h.version, h.hash FROM phaseline.streams AS h
  WHERE h.stream_id > 'phase-' || p_correlation_id || '-' AND h.stream_id < 'phase-' || p_correlation_id || '.'
    AND h.correlation_id = p_correlation_id AND h.closed
    AND NOT EXISTS (SELECT FROM phaseline.cold_streams AS c WHERE c.stream_id = h.stream_id)
$$;

-- Ended jobs with events that can move, so that the cost of a run grows with the jobs whose time is over. Derived from the log by
-- reference_files, like retention_candidates, but encrypted jobs and jobs whose files were removed are candidates too.
CREATE TABLE phaseline.cold_candidates (
  correlation_id text COLLATE "C" PRIMARY KEY,
  tenant         text COLLATE "C" NOT NULL,
  ended_at       timestamptz NOT NULL
);
CREATE INDEX cold_candidates_ended ON phaseline.cold_candidates (tenant, ended_at, correlation_id);
GRANT SELECT ON phaseline.cold_candidates TO phaseline_service;

-- Decides from the log which of these correlations are candidates. Repeating it changes nothing.
CREATE FUNCTION phaseline.refresh_cold_candidates(p_correlation_ids text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH candidates AS (
    SELECT j.id, l.recorded_at, coalesce(s.data ->> 'tenant', s.data -> 'carried' ->> 'tenant', 'default') AS tenant
    FROM unnest(p_correlation_ids) AS j(id), LATERAL (
      SELECT e.type, e.recorded_at FROM phaseline.events AS e
      WHERE e.stream_id = 'job-' || j.id AND e.type IN ('JobCompleted', 'JobFailed', 'JobCancelled', 'JobRetried', 'JobErased')
      ORDER BY e.version DESC LIMIT 1) AS l, phaseline.events AS s
    WHERE s.stream_id = 'job-' || j.id AND s.version = 1 AND l.type NOT IN ('JobRetried', 'JobErased')
      AND EXISTS (SELECT FROM phaseline.movable_streams(j.id))
  ), removed AS (
    DELETE FROM phaseline.cold_candidates AS c
    WHERE c.correlation_id = ANY (p_correlation_ids) AND NOT EXISTS (SELECT FROM candidates AS n WHERE n.id = c.correlation_id)
  )
  INSERT INTO phaseline.cold_candidates AS c (correlation_id, tenant, ended_at)
  SELECT n.id, n.tenant, n.recorded_at FROM candidates AS n
  ON CONFLICT (correlation_id) DO UPDATE SET ended_at = excluded.ended_at
$$;
REVOKE ALL ON FUNCTION phaseline.refresh_cold_candidates FROM PUBLIC;

-- As in 000029_retention_candidates.sql, and keeps cold_candidates current.
CREATE OR REPLACE FUNCTION phaseline.refresh_candidates(p_correlation_ids text[]) RETURNS void
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
  ON CONFLICT (correlation_id) DO UPDATE SET ended_at = excluded.ended_at, has_vectors = excluded.has_vectors;
  SELECT phaseline.refresh_cold_candidates(p_correlation_ids)
$$;

-- Jobs that have ended already. One read of an index per job, instead of another read of the log.
SELECT phaseline.refresh_cold_candidates(ARRAY(
  SELECT h.correlation_id FROM phaseline.streams AS h WHERE h.stream_id = 'job-' || h.correlation_id AND h.closed));

-- Each tenant says how many days after the end of its jobs their events move. NULL: never.
ALTER TABLE phaseline.retention_settings ADD COLUMN cold_days integer CHECK (cold_days >= 0);

-- A run reports a job once per kind of removal, and once for its move.
DROP INDEX phaseline.retention_run_jobs_once;
CREATE UNIQUE INDEX retention_run_jobs_once ON phaseline.retention_run_jobs (
  run_id, job_id, (CASE outcome ->> 'kind' WHEN 'traces-removed' THEN 1 WHEN 'moved' THEN 2 WHEN 'not-moved' THEN 2 ELSE 0 END));

-- Drops the rows that the event JobMovedToColdStorage of this transaction names. The digest of the event was computed from the archive as
-- it was read back from the storage: sha256 over position, transaction id and hash of each event, and the hash covers the rest. So it
-- equals the digest of the rows only if the archive contains exactly what is dropped. Errors:
--   PL012  the event is missing
--   PL013  the job runs, or a legal hold is on it
--   PL014  the rows are not those of the archive: phases have ended since it was made
--   PL015  an anchor does not cover all of the events yet
--   PL016  references of the events to files are not recorded yet (mark_blobs, reference_files)
CREATE FUNCTION phaseline.move_to_cold_storage(p_correlation_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  v_data    jsonb;
  v_end     text;
  v_hold    text;
  v_streams text[];
  v_events  bigint;
  v_digest  text;
  v_first   phaseline.events;
  v_last    phaseline.events;
BEGIN
  SELECT e.data::jsonb INTO v_data FROM phaseline.events AS e
  WHERE e.stream_id = 'job-' || p_correlation_id AND e.type = 'JobMovedToColdStorage' AND e.transaction_id = pg_current_xact_id()
  ORDER BY e.version DESC LIMIT 1;
  IF v_data IS NULL THEN
    RAISE EXCEPTION 'events of % may only be dropped in the transaction of an event JobMovedToColdStorage', p_correlation_id
      USING ERRCODE = 'PL012', HINT = 'Append the event first.';
  END IF;

  SELECT e.type INTO v_end FROM phaseline.events AS e
  WHERE e.stream_id = 'job-' || p_correlation_id AND e.type IN ('JobCompleted', 'JobFailed', 'JobCancelled', 'JobRetried')
  ORDER BY e.version DESC LIMIT 1;
  IF v_end IS NULL OR v_end = 'JobRetried' THEN
    RAISE EXCEPTION 'job % has not ended', p_correlation_id USING ERRCODE = 'PL013';
  END IF;
  SELECT e.type INTO v_hold FROM phaseline.events AS e
  WHERE e.correlation_id = p_correlation_id AND e.type IN ('HoldPlaced', 'HoldReleased') ORDER BY e.position DESC LIMIT 1;
  IF v_hold = 'HoldPlaced' THEN
    RAISE EXCEPTION 'a legal hold is on job %', p_correlation_id USING ERRCODE = 'PL013';
  END IF;

  v_streams := ARRAY(SELECT m.stream_id FROM phaseline.movable_streams(p_correlation_id) AS m);
  SELECT count(*), encode(sha256(convert_to(string_agg(
      e.position || ' ' || e.transaction_id || ' ' || encode(e.hash, 'hex') || E'\n', '' ORDER BY e.position), 'UTF8')), 'hex')
    INTO v_events, v_digest FROM phaseline.events AS e WHERE e.stream_id = ANY (v_streams);
  IF v_events = 0 OR v_events <> (v_data ->> 'events')::bigint OR v_digest IS DISTINCT FROM v_data ->> 'digest' THEN
    RAISE EXCEPTION 'archive % does not contain the events of the ended phases of %', v_data ->> 'archive', p_correlation_id
      USING ERRCODE = 'PL014', HINT = 'Make the archive again.';
  END IF;
  IF EXISTS (
    SELECT FROM phaseline.movable_streams(p_correlation_id) AS m WHERE NOT EXISTS (
      SELECT FROM phaseline.anchored_heads AS a WHERE a.stream_id = m.stream_id AND a.version = m.version AND a.hash = m.hash)
  ) THEN
    RAISE EXCEPTION 'no anchor covers all events of the phases of %', p_correlation_id
      USING ERRCODE = 'PL015', HINT = 'Wait for the next anchor, or make one: phaseline audit anchor.';
  END IF;

  SELECT * INTO v_first FROM phaseline.events AS e WHERE e.stream_id = ANY (v_streams) ORDER BY e.transaction_id, e.position LIMIT 1;
  SELECT * INTO v_last FROM phaseline.events AS e WHERE e.stream_id = ANY (v_streams) ORDER BY e.transaction_id DESC, e.position DESC LIMIT 1;
  IF v_last.transaction_id > (SELECT p.transaction_id FROM phaseline.blob_mark_progress AS p)
     OR v_last.transaction_id > (SELECT p.transaction_id FROM phaseline.file_reference_progress AS p) THEN
    RAISE EXCEPTION 'references of the events of % to files are not recorded', p_correlation_id
      USING ERRCODE = 'PL016', HINT = 'Call mark_blobs and reference_files until both return 0.';
  END IF;

  INSERT INTO phaseline.cold_archives (archive, correlation_id, sha256, bytes, events, first_transaction_id, first_position,
                                       last_transaction_id, last_position)
  VALUES (v_data ->> 'archive', p_correlation_id, decode(v_data ->> 'sha256', 'hex'), (v_data ->> 'bytes')::bigint, v_events,
          v_first.transaction_id, v_first.position, v_last.transaction_id, v_last.position);
  INSERT INTO phaseline.cold_streams (stream_id, archive) SELECT s, v_data ->> 'archive' FROM unnest(v_streams) AS s;
  DELETE FROM phaseline.cold_candidates AS c WHERE c.correlation_id = p_correlation_id;
  DELETE FROM phaseline.snapshots AS s WHERE s.stream_id = ANY (v_streams);
  DELETE FROM phaseline.events AS e WHERE e.stream_id = ANY (v_streams);
END
$$;
REVOKE ALL ON FUNCTION phaseline.move_to_cold_storage, phaseline.movable_streams FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.move_to_cold_storage, phaseline.movable_streams TO phaseline_archivist;

-- As in 000049_learning_retention.sql. The event of a learning trace may be in cold storage, and is then compared by its time: the stream of a
-- removal belongs to no job, so positions do not order the two.
CREATE OR REPLACE FUNCTION phaseline.remove_learning_traces(p_event_id uuid) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH named AS MATERIALIZED (
    SELECT r.transaction_id, r.position, r.recorded_at, r.data ->> 'tenant' AS tenant, j.id AS job_id
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
      AND coalesce((SELECT (e.transaction_id, e.position) < (d.transaction_id, d.position) FROM phaseline.events AS e
                    WHERE e.event_id = t.id), t.recorded_at <= d.recorded_at)
    RETURNING 1
  )
  SELECT count(*) FROM removed
$$;

-- As in 000001_event_log.sql, and lets move_to_cold_storage delete: it must be on the call stack, which no setting can imitate.
CREATE OR REPLACE FUNCTION phaseline.refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_stack text;
BEGIN
  IF TG_OP = 'DELETE' THEN
    GET DIAGNOSTICS v_stack = PG_CONTEXT;
    IF v_stack ~ '\nPL/pgSQL function phaseline\.move_to_cold_storage\(' THEN
      RETURN NULL;
    END IF;
  END IF;
  RAISE EXCEPTION '% on phaseline.events is refused: the log is append-only', TG_OP
    USING ERRCODE = 'PL001', HINT = 'Record the correction as a new event.';
END
$$;
