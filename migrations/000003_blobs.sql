-- Blobs: the bytes of files and long texts, named by their content; and the removal of blobs that no event refers to.

-- The name of a blob is its SHA-256. The check prevents a row whose content does not match its name. A row contains at most one
-- piece (1 MiB), so the size of a file determines how its name was computed.
-- EXTERNAL: stored uncompressed and out of line. Compression costs more time than the disk space is worth, and most large files
-- (PDF, DOCX, images) do not shrink.
CREATE TABLE phaseline.blobs (
  hash    bytea PRIMARY KEY CHECK (hash = sha256(content)),
  size    bigint GENERATED ALWAYS AS (octet_length(content)) STORED,
  content bytea STORAGE EXTERNAL NOT NULL CONSTRAINT blobs_hold_one_piece CHECK (octet_length(content) <= 1048576),
  stored_at timestamptz NOT NULL DEFAULT now()
);

-- A larger file is a list of pieces, each an ordinary blob, so that a file of any size can be processed in pieces of 1 MiB
-- (libs/event-store/src/blobs/piece.ts). hash is its name, as computed by phaseline.pieces_name.
CREATE TABLE phaseline.blob_manifests (
  hash      bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  size      bigint NOT NULL CHECK (size > 1048576),
  pieces    integer NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now(),
  CHECK (pieces = (size + 1048575) / 1048576)
);

-- The foreign key keeps a piece as long as a manifest refers to it.
CREATE TABLE phaseline.blob_pieces (
  hash   bytea NOT NULL REFERENCES phaseline.blob_manifests ON DELETE CASCADE,
  number integer NOT NULL CHECK (number >= 0),
  piece  bytea NOT NULL REFERENCES phaseline.blobs,
  PRIMARY KEY (hash, number)
);
CREATE INDEX blob_pieces_piece ON phaseline.blob_pieces (piece);

GRANT SELECT, INSERT ON phaseline.blobs TO phaseline_service;
GRANT SELECT ON phaseline.blob_manifests, phaseline.blob_pieces TO phaseline_service;

-- The name of content of more than 1 MiB: the first 32 bytes of the SHA-512 over one netstring ("<length in bytes>:<value>,")
-- for each of: "phaseline-pieces-1", the size, the number of pieces, and for each piece its SHA-256 in hex and its size.
-- SHA-512 rather than SHA-256: rows of blobs are named by the SHA-256 of their content, so the list itself could otherwise be stored
-- as a row with the name of the file that it describes. docs/concepts/audit.md explains names;
-- libs/event-store/src/blobs/content-hash.ts implements them in TypeScript.
CREATE FUNCTION phaseline.pieces_name(p_hashes bytea[], p_sizes bigint[]) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
  SELECT substring(sha512(convert_to(concat('18:phaseline-pieces-1,',
    octet_length(sum(p.size)::text), ':', sum(p.size), ',',
    octet_length(count(*)::text), ':', count(*), ',',
    string_agg(concat('64:', encode(p.hash, 'hex'), ',', octet_length(p.size::text), ':', p.size, ','), '' ORDER BY p.number)),
    'UTF8')) FOR 32)
  FROM unnest(p_hashes, p_sizes) WITH ORDINALITY AS p(hash, size, number)
$$;

-- Stores a piece or any other blob. An existing row is locked and, if it is old, gets a new stored_at, so that collect_blobs keeps it
-- for the caller that is about to refer to it.
CREATE FUNCTION phaseline.put_blob(p_hash bytea, p_content bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO phaseline.blobs AS known (hash, content) VALUES (p_hash, p_content)
  ON CONFLICT (hash) DO UPDATE SET stored_at = now() WHERE known.stored_at < now() - interval '1 hour'
$$;

-- Stores a large file as a list of stored pieces. All pieces but the last have 1 MiB, so that any byte is found by its offset alone.
-- The name must be that of the pieces: nobody can reserve the name of a file that does not exist yet.
CREATE FUNCTION phaseline.put_manifest(p_hash bytea, p_pieces bytea[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_count integer := coalesce(array_length(p_pieces, 1), 0);
  v_size  bigint;
  v_known integer;
  v_odd   integer;
  v_name  bytea;
BEGIN
  -- Sorted to avoid deadlocks, and locked so that no piece can be removed before this transaction commits.
  PERFORM FROM phaseline.blobs AS b WHERE b.hash = ANY (p_pieces) ORDER BY b.hash FOR KEY SHARE;
  SELECT count(b.hash), sum(b.size), count(*) FILTER (WHERE b.size <> 1048576 AND (p.number < v_count OR b.size NOT BETWEEN 1 AND 1048576)),
         phaseline.pieces_name(array_agg(b.hash ORDER BY p.number), array_agg(b.size ORDER BY p.number))
    INTO v_known, v_size, v_odd, v_name
    FROM unnest(p_pieces) WITH ORDINALITY AS p(hash, number) LEFT JOIN phaseline.blobs AS b ON b.hash = p.hash;
  IF v_count = 0 OR v_known <> v_count OR v_odd > 0 THEN
    RAISE EXCEPTION 'a manifest of % pieces, of which % are stored and % have an invalid size', v_count, v_known, v_odd
      USING ERRCODE = 'PL008', HINT = 'Store every piece first: 1 MiB each, and the rest in the last one.';
  END IF;
  IF v_name IS DISTINCT FROM p_hash THEN
    RAISE EXCEPTION 'a manifest named %, but the name of its pieces is %', encode(p_hash, 'hex'), encode(v_name, 'hex')
      USING ERRCODE = 'PL008', HINT = 'The name of a large file follows from its pieces: see docs/concepts/audit.md.';
  END IF;
  INSERT INTO phaseline.blob_manifests AS known (hash, size, pieces) VALUES (p_hash, v_size, v_count)
  ON CONFLICT (hash) DO UPDATE SET stored_at = now() WHERE known.stored_at < now() - interval '1 hour';
  INSERT INTO phaseline.blob_pieces (hash, number, piece)
  SELECT p_hash, p.number - 1, p.hash FROM unnest(p_pieces) WITH ORDINALITY AS p(hash, number)
  ON CONFLICT DO NOTHING;
END
$$;

REVOKE ALL ON FUNCTION phaseline.put_blob FROM PUBLIC;
REVOKE ALL ON FUNCTION phaseline.put_manifest FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.put_blob, phaseline.put_manifest TO phaseline_service;

-- Removal. The log refers to blobs, and the log only grows: so every hash that was ever found in an event is recorded here, and each
-- run of mark_blobs reads only new events. Any text that looks like a hash counts, so there can be unnecessary marks but never
-- a missing one. An event of an encrypted job names its blobs in its metadata.
CREATE TABLE phaseline.blob_marks (
  hash bytea PRIMARY KEY
);
CREATE TABLE phaseline.blob_mark_progress (
  only_row       boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  transaction_id xid8 NOT NULL,
  position       bigint NOT NULL
);
INSERT INTO phaseline.blob_mark_progress (transaction_id, position) VALUES ('0', 0);

-- Extracts all hashes (64 hex digits) from a text.
CREATE FUNCTION phaseline.hashes_in(p_text text) RETURNS SETOF bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
  SELECT decode(m[1], 'hex') FROM regexp_matches(p_text, '(?<![0-9a-f])([0-9a-f]{64})(?![0-9a-f])', 'g') AS m
$$;

-- Marks the blobs of the next events, about p_events of them, below the oldest open transaction. Returns the number of events read,
-- without those added to complete the last transaction.
CREATE FUNCTION phaseline.mark_blobs(p_events integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_from phaseline.blob_mark_progress;
  v_done integer;
  v_to   xid8;
BEGIN
  SELECT * INTO v_from FROM phaseline.blob_mark_progress FOR UPDATE;
  SELECT count(*), max(n.transaction_id) INTO v_done, v_to FROM (
    SELECT e.transaction_id FROM phaseline.events AS e
    WHERE (e.transaction_id, e.position) > (v_from.transaction_id, v_from.position)
      AND e.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY e.transaction_id, e.position LIMIT p_events
  ) AS n;
  IF v_done = 0 THEN
    RETURN 0;
  END IF;
  -- Includes all events of the last transaction, so that progress is always at the end of a transaction.
  INSERT INTO phaseline.blob_marks (hash)
  SELECT DISTINCT h FROM phaseline.events AS e,
    LATERAL phaseline.hashes_in(concat(e.data, ' ', e.metadata)) AS h
  WHERE (e.transaction_id, e.position) > (v_from.transaction_id, v_from.position)
    AND e.transaction_id <= v_to
  ON CONFLICT DO NOTHING;
  UPDATE phaseline.blob_mark_progress SET transaction_id = v_to, position = 9223372036854775807;
  RETURN v_done;
END
$$;

-- Removes up to p_limit blobs with a hash above p_after to which nothing refers and which nobody has stored for p_grace; with
-- p_dry_run it only returns them. Call mark_blobs until it returns 0 first.
--
-- Why no event can lose its blob: a writer stores a blob before it refers to it, at most an hour earlier or in
-- the same transaction. Storing an old blob renews stored_at, and locks the row until the transaction ends. So nobody is about to
-- refer to a blob that is old while this function holds its lock, unless somebody referred to it and committed after the marks were
-- made: those events are checked again, under the lock.
CREATE FUNCTION phaseline.collect_blobs(p_grace interval, p_after bytea, p_limit integer, p_dry_run boolean)
RETURNS TABLE (hash bytea, size bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  v_before    timestamptz := now() - p_grace;
  v_from      phaseline.blob_mark_progress;
  v_manifests bytea[];
  v_blobs     bytea[];
  v_late      bytea[];
BEGIN
  IF p_grace < interval '2 hours' THEN
    RAISE EXCEPTION 'a grace period of % is too short: a process that has just stored a blob may be about to refer to it', p_grace
      USING ERRCODE = 'PL009', HINT = 'Use two hours or more.';
  END IF;
  SELECT * INTO v_from FROM phaseline.blob_mark_progress FOR UPDATE;

  SELECT coalesce(array_agg(c.hash), '{}') INTO v_manifests FROM (
    SELECT m.hash FROM phaseline.blob_manifests AS m
    WHERE m.stored_at < v_before AND NOT EXISTS (SELECT FROM phaseline.blob_marks AS k WHERE k.hash = m.hash)
    ORDER BY m.hash FOR UPDATE SKIP LOCKED
  ) AS c;
  SELECT coalesce(array_agg(c.hash), '{}') INTO v_blobs FROM (
    SELECT b.hash FROM phaseline.blobs AS b
    WHERE b.hash > p_after AND b.stored_at < v_before
      AND NOT EXISTS (SELECT FROM phaseline.blob_marks AS k WHERE k.hash = b.hash)
      AND NOT EXISTS (SELECT FROM phaseline.blob_pieces AS p WHERE p.piece = b.hash AND p.hash <> ALL (v_manifests))
    ORDER BY b.hash LIMIT p_limit FOR UPDATE SKIP LOCKED
  ) AS c;

  -- A new statement sees what was committed before the locks were taken.
  SELECT coalesce(array_agg(h), '{}') INTO v_late FROM phaseline.events AS e,
    LATERAL phaseline.hashes_in(concat(e.data, ' ', e.metadata)) AS h
  WHERE (e.transaction_id, e.position) > (v_from.transaction_id, v_from.position);
  v_manifests := ARRAY(SELECT m FROM unnest(v_manifests) AS m WHERE m <> ALL (v_late));
  v_blobs := ARRAY(
    SELECT b FROM unnest(v_blobs) AS b WHERE b <> ALL (v_late)
      AND NOT EXISTS (SELECT FROM phaseline.blob_pieces AS p WHERE p.piece = b AND p.hash <> ALL (v_manifests)));

  RETURN QUERY SELECT b.hash, b.size FROM phaseline.blobs AS b WHERE b.hash = ANY (v_blobs) ORDER BY b.hash;
  IF NOT p_dry_run THEN
    DELETE FROM phaseline.blob_manifests AS m WHERE m.hash = ANY (v_manifests);
    DELETE FROM phaseline.blobs AS b WHERE b.hash = ANY (v_blobs);
  END IF;
END
$$;

REVOKE ALL ON FUNCTION phaseline.mark_blobs FROM PUBLIC;
REVOKE ALL ON FUNCTION phaseline.collect_blobs FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.mark_blobs, phaseline.collect_blobs TO phaseline_service;

-- Rejects changes of stored content by any role, as events do. TG_ARGV[0], if given, names the only function that may delete: it must
-- be on the call stack, which no setting can imitate. The owner of the tables can still disable the trigger; `phaseline audit verify`
-- detects what was changed in that case.
CREATE FUNCTION phaseline.refuse_content_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_stack text;
BEGIN
  IF TG_OP = 'DELETE' AND TG_NARGS > 0 THEN
    GET DIAGNOSTICS v_stack = PG_CONTEXT;
    IF v_stack ~ ('\nPL/pgSQL function phaseline\.' || TG_ARGV[0] || '\(') THEN
      RETURN NULL;
    END IF;
  END IF;
  RAISE EXCEPTION '% on phaseline.% is refused: stored content is append-only', TG_OP, TG_TABLE_NAME
    USING ERRCODE = 'PL001',
      HINT = CASE WHEN TG_NARGS > 0 THEN format('Only phaseline.%s deletes.', TG_ARGV[0]) ELSE 'Nothing deletes here.' END;
END
$$;

-- stored_at is omitted: storing a blob again renews it.
CREATE TRIGGER blobs_are_append_only BEFORE UPDATE OF hash, content OR DELETE OR TRUNCATE ON phaseline.blobs
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('collect_blobs');
CREATE TRIGGER blob_manifests_are_append_only BEFORE UPDATE OF hash, size, pieces OR DELETE OR TRUNCATE ON phaseline.blob_manifests
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('collect_blobs');
CREATE TRIGGER blob_pieces_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseline.blob_pieces
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('collect_blobs');
-- Without its mark, a blob that the log refers to could be removed.
CREATE TRIGGER blob_marks_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseline.blob_marks
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change();
ALTER TABLE phaseline.blobs ENABLE ALWAYS TRIGGER blobs_are_append_only;
ALTER TABLE phaseline.blob_manifests ENABLE ALWAYS TRIGGER blob_manifests_are_append_only;
ALTER TABLE phaseline.blob_pieces ENABLE ALWAYS TRIGGER blob_pieces_are_append_only;
ALTER TABLE phaseline.blob_marks ENABLE ALWAYS TRIGGER blob_marks_are_append_only;
