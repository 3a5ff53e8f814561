-- Blobs too large for one row, and the collection of blobs that nothing refers to.

-- A large blob is a list of pieces, each an ordinary blob of its own, so that a file of any size passes through in pieces of
-- 1 MiB (libs/event-store/src/blobs/piece.ts). hash is the SHA-256 of the whole. Nothing here can check that without reading the
-- whole, so whoever writes it hashes the stream, and whoever reads the whole hashes it again; each piece is checked by its row.
CREATE TABLE phaseline.blob_manifests (
  hash      bytea PRIMARY KEY CHECK (octet_length(hash) = 32),
  size      bigint NOT NULL CHECK (size > 1048576),
  pieces    integer NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now(),
  CHECK (pieces = (size + 1048575) / 1048576)
);

-- The reference keeps a piece as long as a whole needs it, whoever deletes.
CREATE TABLE phaseline.blob_pieces (
  hash   bytea NOT NULL REFERENCES phaseline.blob_manifests ON DELETE CASCADE,
  number integer NOT NULL CHECK (number >= 0),
  piece  bytea NOT NULL REFERENCES phaseline.blobs,
  PRIMARY KEY (hash, number)
);
CREATE INDEX blob_pieces_piece ON phaseline.blob_pieces (piece);

GRANT SELECT ON phaseline.blob_manifests, phaseline.blob_pieces TO phaseline_service;

-- Stores one piece, or any blob. One that is there is locked and, where it has grown old, made young again, so that the
-- collector below leaves it to whoever is about to refer to it.
CREATE FUNCTION phaseline.put_blob(p_hash bytea, p_content bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO phaseline.blobs AS known (hash, content) VALUES (p_hash, p_content)
  ON CONFLICT (hash) DO UPDATE SET stored_at = now() WHERE known.stored_at < now() - interval '1 hour'
$$;

-- Makes a whole out of pieces that are stored. All but the last have 1 MiB; then any byte is found by its place alone.
CREATE FUNCTION phaseline.put_manifest(p_hash bytea, p_pieces bytea[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_count integer := array_length(p_pieces, 1);
  v_size  bigint;
  v_known integer;
  v_odd   integer;
BEGIN
  -- Sorted and locked, so that no piece can be collected before this commits.
  PERFORM FROM phaseline.blobs AS b WHERE b.hash = ANY (p_pieces) ORDER BY b.hash FOR KEY SHARE;
  SELECT count(b.hash), sum(b.size), count(*) FILTER (WHERE b.size <> 1048576 AND (p.number < v_count OR b.size NOT BETWEEN 1 AND 1048576))
    INTO v_known, v_size, v_odd
    FROM unnest(p_pieces) WITH ORDINALITY AS p(hash, number) LEFT JOIN phaseline.blobs AS b ON b.hash = p.hash;
  IF v_known IS DISTINCT FROM v_count OR v_odd > 0 THEN
    RAISE EXCEPTION 'a manifest of % pieces, of which % are stored and % have another size than they should', v_count, v_known, v_odd
      USING ERRCODE = 'PL008', HINT = 'Put every piece first: 1 MiB each, the last one with what is left.';
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

-- Collecting. What refers to a blob is in the log, and the log only grows: so every hash that was ever seen in an event is
-- kept here, and each pass looks at what is new alone. Anything that looks like a hash counts, so a mark too many is possible
-- and a mark too few is not. An event of an encrypted job names its blobs in its metadata.
CREATE TABLE phaseline.blob_marks (
  hash bytea PRIMARY KEY
);
CREATE TABLE phaseline.blob_mark_progress (
  only_row       boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  transaction_id xid8 NOT NULL,
  position       bigint NOT NULL
);
INSERT INTO phaseline.blob_mark_progress (transaction_id, position) VALUES ('0', 0);

CREATE FUNCTION phaseline.hashes_in(p_text text) RETURNS SETOF bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
  SELECT decode(m[1], 'hex') FROM regexp_matches(p_text, '(?<![0-9a-f])([0-9a-f]{64})(?![0-9a-f])', 'g') AS m
$$;

-- Looks at the next events, at most so many, below the oldest open transaction. Returns how many there were.
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
  -- The whole of its last transaction, so that the place to go on from is behind a transaction.
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

-- Removes, or with p_dry_run only names, at most p_limit blobs behind the hash p_after that nothing refers to and that nobody
-- has stored again for p_grace. Call mark_blobs until it finds nothing first.
--
-- Why no event can be left without its blob: whoever is about to refer to a blob stores it first, at most an hour before or in
-- the same transaction. Storing one that is old makes it young, and locks it until the transaction ends. So a blob that is
-- old under our own lock is one that nobody is about to refer to, unless somebody did and committed since the marks were made:
-- those events are looked at once more, under the lock.
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
    RAISE EXCEPTION 'a grace of % is too short: whoever has just stored a blob may still be about to refer to it', p_grace
      USING ERRCODE = 'PL009', HINT = 'Give two hours or more.';
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

  -- A new statement sees what was committed before the locks were had.
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
