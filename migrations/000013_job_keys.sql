-- Encrypted jobs: what they hold is stored encrypted under a key of each job's own, and erasing the key erases the content while
-- the chain of the log still verifies. Read docs/encryption.md first.

-- The id of a encrypted job is a uuid of version 8, and that of no other job is.
CREATE FUNCTION phaseline.is_encrypted_job(p_correlation_id text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
  SELECT p_correlation_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
$$;

-- wrapped: the key of the job, encrypted with the master key that master_key_id names. NULL once it is erased, for good.
-- The master key is never in the database.
CREATE TABLE phaseline.job_keys (
  correlation_id text COLLATE "C" PRIMARY KEY CHECK (phaseline.is_encrypted_job(correlation_id)),
  wrapped        bytea CHECK (octet_length(wrapped) = 60),
  master_key_id  text NOT NULL CHECK (master_key_id ~ '^[0-9a-f]{16}$'),
  created_at     timestamptz NOT NULL DEFAULT now(),
  erased_at      timestamptz,
  CHECK ((wrapped IS NULL) = (erased_at IS NOT NULL))
);

-- Bytes of the files of encrypted jobs. name is a keyed hash, so that nobody without the key can tell whether a job holds a
-- certain file, nor whether two jobs hold the same. They are no part of the chain, and go when the key goes.
CREATE TABLE phaseline.encrypted_blobs (
  correlation_id text COLLATE "C" NOT NULL REFERENCES phaseline.job_keys,
  name           bytea NOT NULL CHECK (octet_length(name) = 32),
  content        bytea STORAGE EXTERNAL NOT NULL,
  stored_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (correlation_id, name)
);

GRANT SELECT ON phaseline.job_keys, phaseline.encrypted_blobs TO phaseline_service;

-- Gives the job the key, unless it has one already or had one. Returns what it has: of two at once, both use the same.
CREATE FUNCTION phaseline.create_job_key(p_correlation_id text, p_wrapped bytea, p_master_key_id text)
RETURNS TABLE (wrapped bytea, master_key_id text, erased_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  INSERT INTO phaseline.job_keys (correlation_id, wrapped, master_key_id)
  VALUES (p_correlation_id, p_wrapped, p_master_key_id)
  ON CONFLICT DO NOTHING;
  -- A statement of its own: it sees the row of whoever was first.
  RETURN QUERY SELECT k.wrapped, k.master_key_id, k.erased_at FROM phaseline.job_keys AS k
    WHERE k.correlation_id = p_correlation_id;
END
$$;

-- The same key under another master key. Nothing where it is erased, or where somebody else was first.
CREATE FUNCTION phaseline.rewrap_job_key(p_correlation_id text, p_before bytea, p_wrapped bytea, p_master_key_id text)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE phaseline.job_keys SET wrapped = p_wrapped, master_key_id = p_master_key_id
  WHERE correlation_id = p_correlation_id AND wrapped = p_before AND p_wrapped IS NOT NULL;
  RETURN FOUND;
END
$$;

-- Destroys the key and what only it could open. Returns false where that was done before.
CREATE FUNCTION phaseline.erase_job_key(p_correlation_id text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_erased boolean;
BEGIN
  UPDATE phaseline.job_keys SET wrapped = NULL, erased_at = clock_timestamp()
  WHERE correlation_id = p_correlation_id AND wrapped IS NOT NULL;
  v_erased := FOUND;
  DELETE FROM phaseline.encrypted_blobs WHERE correlation_id = p_correlation_id;
  RETURN v_erased;
END
$$;

-- Stores contents that are encrypted already. The key is held until the transaction ends, so that nothing is stored behind
-- its erasure.
CREATE FUNCTION phaseline.put_encrypted_blobs(p_correlation_id text, p_names bytea[], p_contents bytea[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM phaseline.job_keys WHERE correlation_id = p_correlation_id AND wrapped IS NOT NULL FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'job % has no key: it was erased, or never had one', p_correlation_id USING ERRCODE = 'PL013';
  END IF;
  -- Sorted, so that two that store the same never wait for each other in a circle.
  INSERT INTO phaseline.encrypted_blobs (correlation_id, name, content)
  SELECT p_correlation_id, b.name, b.content FROM unnest(p_names, p_contents) AS b(name, content) ORDER BY b.name
  ON CONFLICT DO NOTHING;
END
$$;

REVOKE ALL ON FUNCTION phaseline.create_job_key, phaseline.rewrap_job_key, phaseline.erase_job_key, phaseline.put_encrypted_blobs
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.create_job_key, phaseline.rewrap_job_key, phaseline.erase_job_key,
  phaseline.put_encrypted_blobs TO phaseline_service;
