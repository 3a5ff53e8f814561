-- The only way to write to the log: phaseline.append for a batch, and phaseline.append_one as its fast path.

-- The hash of an event is sha256(previous || canonical). previous is the hash of the previous event of the stream (32 bytes; zeros
-- for version 1). canonical is, in UTF-8, one netstring ("<length in bytes>:<value>,") for each of, in this order:
--   stream id, version, event id, type, schema version, recorded at (UTC, YYYY-MM-DDTHH:MM:SS.ffffffZ),
--   correlation id, data, metadata (the last two exactly as stored).
-- libs/event-store/src/chain/canonical-event.ts implements it in TypeScript.
-- A single expression, so that PostgreSQL inlines it; STABLE because concat is.
CREATE FUNCTION phaseline.event_hash(
  p_previous bytea, p_stream_id text, p_version bigint, p_event_id uuid, p_type text, p_schema_version integer,
  p_recorded_at text, p_correlation_id text, p_data text, p_metadata text
) RETURNS bytea LANGUAGE sql STABLE
RETURN sha256(p_previous || convert_to(concat(
  octet_length(p_stream_id), ':', p_stream_id, ',',
  octet_length(p_version::text), ':', p_version, ',36:',
  p_event_id, ',',
  octet_length(p_type), ':', p_type, ',',
  octet_length(p_schema_version::text), ':', p_schema_version, ',27:',
  p_recorded_at, ',',
  octet_length(p_correlation_id), ':', p_correlation_id, ',',
  octet_length(p_data), ':', p_data, ',',
  octet_length(p_metadata), ':', p_metadata, ','), 'UTF8'));

-- A stream that has ended accepts only the events that may follow its end, and an end closes its stream, whatever the caller
-- requests. libs/domain/src/stream/after-end.ts implements the same rule; a spec compares the two.

-- Whether an event of type p_next may directly follow one of type p_previous (NULL: the start of the stream).
CREATE FUNCTION phaseline.may_follow(p_previous text, p_next text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN p_previous IN ('JobCompleted', 'JobCancelled') THEN p_next = 'JobErased'
  WHEN p_previous = 'JobFailed' THEN p_next IN ('JobErased', 'JobRetried')
  WHEN p_previous IN ('JobErased', 'PhaseCompleted', 'PhaseFailed', 'PhaseCancelled') THEN false
  ELSE true
END;

-- Whether an event of this type ends its stream.
CREATE FUNCTION phaseline.is_end(p_type text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN p_type IN ('JobCompleted', 'JobCancelled', 'JobFailed', 'JobErased', 'PhaseCompleted', 'PhaseFailed', 'PhaseCancelled');

-- Appends many units (one unit = one EventStore.append) in one commit. Each unit is atomic; a rejected unit does not affect the
-- others. The parameters are flat arrays:
--
--   streams  (s): p_stream_ids, p_stream_correlations           every stream of the batch once
--   appends  (a): p_append_units (ascending), p_append_streams (index into streams), p_expected (-1 = any),
--                 p_event_counts, p_closes, p_wakes, p_reopens  a unit names a stream at most once
--   events   (e): p_event_streams (index into streams), p_event_ids, p_types, p_schema_versions, p_data, p_metadata
--                 in the order of the appends; no event id twice in a batch
--   blobs    (b): p_blob_units, p_blob_hashes, p_blob_contents
--
-- Returns one row per append, in order. status:
--   0 appended                 version, position, hash, recorded_at: those of the append's last event
--   1 appended before          the same values, as recorded then; nothing was written
--   2 wrong expected version   version = the actual version
--   3 stream closed            version = its last version
--   4 duplicate event id       event_id = an id that is already in the log, while the unit as a whole is not
--   5 correlation mismatch     the stream belongs to another correlation
--   6 another append of the unit was rejected
--
-- Planner settings: force_generic_plan, because PostgreSQL considers a fresh plan cheaper for every small batch and then
-- spends more time on planning than on the append; no seqscan, hash join or merge join, because a plan made while the tables were
-- small stays cached while they grow (measured: 4,700 appends per second instead of 18,000).
CREATE FUNCTION phaseline.append(
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

-- Fast path for a unit of one append that shares its commit with no other: a third less time than the batch.
-- It handles only the plain case. Otherwise it writes nothing and returns no row, or fails with a unique violation (an event id that
-- is already in the log); the caller then calls phaseline.append, which returns the reason.
CREATE FUNCTION phaseline.append_one(
  p_stream_id text, p_correlation_id text, p_expected bigint, p_closes boolean, p_wakes boolean,
  p_event_ids uuid[], p_types text[], p_schema_versions integer[], p_data text[], p_metadata text[]
) RETURNS TABLE (
  version     bigint,
  "position"  bigint,
  hash        bytea,
  recorded_at timestamptz
)
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  v_now_text    text;
  v_closed      boolean;
  v_correlation text;
  v_closes      boolean;
BEGIN
  IF pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'the append must be the first write of its transaction' USING ERRCODE = 'PL002';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended(p_correlation_id, 7406318255));

  SELECT h.version, h.hash, h.closed, h.correlation_id INTO version, hash, v_closed, v_correlation
  FROM phaseline.streams AS h WHERE h.stream_id = p_stream_id;
  IF v_closed OR v_correlation <> p_correlation_id OR (p_expected >= 0 AND p_expected <> coalesce(version, 0)) THEN
    RETURN;
  END IF;
  FOR e IN 2 .. array_length(p_types, 1) LOOP
    IF NOT phaseline.may_follow(p_types[e - 1], p_types[e]) THEN
      RETURN;
    END IF;
  END LOOP;
  v_closes := p_closes OR phaseline.is_end(p_types[array_length(p_types, 1)]);
  IF v_correlation IS NULL THEN
    version := 0;
    hash := '\x0000000000000000000000000000000000000000000000000000000000000000';
  END IF;
  recorded_at := clock_timestamp();
  v_now_text := to_char(recorded_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');

  FOR e IN 1 .. array_length(p_event_ids, 1) LOOP
    version := version + 1;
    hash := phaseline.event_hash(hash, p_stream_id, version, p_event_ids[e], p_types[e], p_schema_versions[e], v_now_text,
      p_correlation_id, p_data[e], p_metadata[e]);
    position := nextval('phaseline.events_position_seq');
    INSERT INTO phaseline.events (position, version, transaction_id, recorded_at, event_id, schema_version, stream_id, type,
                                  correlation_id, hash, data, metadata)
    OVERRIDING SYSTEM VALUE
    VALUES (append_one.position, append_one.version, pg_current_xact_id(), append_one.recorded_at, p_event_ids[e],
            p_schema_versions[e], p_stream_id, p_types[e], p_correlation_id, append_one.hash, p_data[e]::json, p_metadata[e]::json);
  END LOOP;

  IF v_correlation IS NULL THEN
    INSERT INTO phaseline.streams (stream_id, version, hash, correlation_id, closed, updated_at)
    VALUES (p_stream_id, append_one.version, append_one.hash, p_correlation_id, v_closes, append_one.recorded_at);
  ELSE
    UPDATE phaseline.streams AS h
    SET version = append_one.version, hash = append_one.hash, closed = v_closes, updated_at = append_one.recorded_at
    WHERE h.stream_id = p_stream_id;
  END IF;
  IF p_wakes THEN
    PERFORM pg_notify('phaseline_control', p_correlation_id);
  END IF;
  RETURN NEXT;
END
$$;

REVOKE ALL ON FUNCTION phaseline.append FROM PUBLIC;
REVOKE ALL ON FUNCTION phaseline.append_one FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.append TO phaseline_service;
GRANT EXECUTE ON FUNCTION phaseline.append_one TO phaseline_service;
