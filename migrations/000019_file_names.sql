-- Names of large files that the database can check, and tables of files that are as hard to change as the log.
-- docs/audit.md says what a name is; libs/event-store/src/blobs/content-hash.ts is the same in TypeScript.

-- The name of content of more than 1 MiB: the first 32 bytes of the SHA-512 over one netstring ("<length in bytes>:<value>,")
-- for each of: "phaseline-pieces-1", the size, the number of pieces, and for each piece its SHA-256 in hex and its size.
-- SHA-512 rather than SHA-256: the content of a row of blobs has a SHA-256 for its name, so a list could be stored as a row
-- under the very name of the file that it lists.
CREATE FUNCTION phaseline.pieces_name(p_hashes bytea[], p_sizes bigint[]) RETURNS bytea
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
  SELECT substring(sha512(convert_to(concat('18:phaseline-pieces-1,',
    octet_length(sum(p.size)::text), ':', sum(p.size), ',',
    octet_length(count(*)::text), ':', count(*), ',',
    string_agg(concat('64:', encode(p.hash, 'hex'), ',', octet_length(p.size::text), ':', p.size, ','), '' ORDER BY p.number)),
    'UTF8')) FOR 32)
  FROM unnest(p_hashes, p_sizes) WITH ORDINALITY AS p(hash, size, number)
$$;

-- A row holds at most one piece, so a name tells by its size how it was made. NOT VALID: rows from before stay.
ALTER TABLE phaseline.blobs ADD CONSTRAINT blobs_hold_one_piece CHECK (octet_length(content) <= 1048576) NOT VALID;

-- As in 000008, and the name has to be that of the pieces: nobody can fix the content of a file that does not exist yet.
CREATE OR REPLACE FUNCTION phaseline.put_manifest(p_hash bytea, p_pieces bytea[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_count integer := coalesce(array_length(p_pieces, 1), 0);
  v_size  bigint;
  v_known integer;
  v_odd   integer;
  v_name  bytea;
BEGIN
  -- Sorted and locked, so that no piece can be collected before this commits.
  PERFORM FROM phaseline.blobs AS b WHERE b.hash = ANY (p_pieces) ORDER BY b.hash FOR KEY SHARE;
  SELECT count(b.hash), sum(b.size), count(*) FILTER (WHERE b.size <> 1048576 AND (p.number < v_count OR b.size NOT BETWEEN 1 AND 1048576)),
         phaseline.pieces_name(array_agg(b.hash ORDER BY p.number), array_agg(b.size ORDER BY p.number))
    INTO v_known, v_size, v_odd, v_name
    FROM unnest(p_pieces) WITH ORDINALITY AS p(hash, number) LEFT JOIN phaseline.blobs AS b ON b.hash = p.hash;
  IF v_count = 0 OR v_known <> v_count OR v_odd > 0 THEN
    RAISE EXCEPTION 'a manifest of % pieces, of which % are stored and % have another size than they should', v_count, v_known, v_odd
      USING ERRCODE = 'PL008', HINT = 'Put every piece first: 1 MiB each, the last one with what is left.';
  END IF;
  IF v_name IS DISTINCT FROM p_hash THEN
    RAISE EXCEPTION 'a manifest named %, whose pieces make %', encode(p_hash, 'hex'), encode(v_name, 'hex')
      USING ERRCODE = 'PL008', HINT = 'The name of a large file follows from its pieces: see docs/audit.md.';
  END IF;
  INSERT INTO phaseline.blob_manifests AS known (hash, size, pieces) VALUES (p_hash, v_size, v_count)
  ON CONFLICT (hash) DO UPDATE SET stored_at = now() WHERE known.stored_at < now() - interval '1 hour';
  INSERT INTO phaseline.blob_pieces (hash, number, piece)
  SELECT p_hash, p.number - 1, p.hash FROM unnest(p_pieces) WITH ORDINALITY AS p(hash, number)
  ON CONFLICT DO NOTHING;
END
$$;

-- Refuses changes of stored content to everybody, as events refuse them. TG_ARGV[0], where it is given, names the one function
-- that may delete: it has to be on the call stack, which no setting can pretend. Whoever owns the tables can still disable the
-- trigger; `phaseline audit verify` finds what was done then.
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

-- stored_at is left out: storing content again makes it young.
CREATE TRIGGER blobs_are_append_only BEFORE UPDATE OF hash, content OR DELETE OR TRUNCATE ON phaseline.blobs
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('collect_blobs');
CREATE TRIGGER blob_manifests_are_append_only BEFORE UPDATE OF hash, size, pieces OR DELETE OR TRUNCATE ON phaseline.blob_manifests
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('collect_blobs');
CREATE TRIGGER blob_pieces_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseline.blob_pieces
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('collect_blobs');
-- A mark that is gone would let the collector remove what the log names.
CREATE TRIGGER blob_marks_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseline.blob_marks
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change();
CREATE TRIGGER encrypted_blobs_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseline.encrypted_blobs
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('erase_job_key');
-- A key is erased by an UPDATE, which leaves the row that says when.
CREATE TRIGGER job_keys_are_kept BEFORE DELETE OR TRUNCATE ON phaseline.job_keys
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change();
ALTER TABLE phaseline.blobs ENABLE ALWAYS TRIGGER blobs_are_append_only;
ALTER TABLE phaseline.blob_manifests ENABLE ALWAYS TRIGGER blob_manifests_are_append_only;
ALTER TABLE phaseline.blob_pieces ENABLE ALWAYS TRIGGER blob_pieces_are_append_only;
ALTER TABLE phaseline.blob_marks ENABLE ALWAYS TRIGGER blob_marks_are_append_only;
ALTER TABLE phaseline.encrypted_blobs ENABLE ALWAYS TRIGGER encrypted_blobs_are_append_only;
ALTER TABLE phaseline.job_keys ENABLE ALWAYS TRIGGER job_keys_are_kept;
