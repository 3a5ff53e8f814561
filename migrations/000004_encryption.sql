-- Encrypted jobs: their content is stored encrypted with one key per job. Erasing the key erases the content, while the hash chain
-- of the log still verifies. docs/concepts/encryption.md describes it.

-- The id of an encrypted job is a UUID of version 8; other jobs have other ids.
CREATE FUNCTION phaseline.is_encrypted_job(p_correlation_id text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
  SELECT p_correlation_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$'
$$;

-- wrapped: the key of the job, encrypted with the master key named by master_key_id. NULL after the key was erased, which is final.
-- The master key is never in the database.
CREATE TABLE phaseline.job_keys (
  correlation_id text COLLATE "C" PRIMARY KEY CHECK (phaseline.is_encrypted_job(correlation_id)),
  wrapped        bytea CHECK (octet_length(wrapped) = 60),
  master_key_id  text NOT NULL CHECK (master_key_id ~ '^[0-9a-f]{16}$'),
  created_at     timestamptz NOT NULL DEFAULT now(),
  erased_at      timestamptz,
  CHECK ((wrapped IS NULL) = (erased_at IS NOT NULL))
);

-- Files of encrypted jobs. name is a keyed hash, so that nobody without the key can tell whether a job has a certain file, or whether
-- two jobs have the same file. These rows are not part of the hash chain, and are deleted together with the key.
CREATE TABLE phaseline.encrypted_blobs (
  correlation_id text COLLATE "C" NOT NULL REFERENCES phaseline.job_keys,
  name           bytea NOT NULL CHECK (octet_length(name) = 32),
  content        bytea STORAGE EXTERNAL NOT NULL,
  stored_at      timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (correlation_id, name)
);

GRANT SELECT ON phaseline.job_keys, phaseline.encrypted_blobs TO phaseline_service;

-- Gives the job this key, unless it has or had one. Returns the key of the job, so that two concurrent callers use the same one.
CREATE FUNCTION phaseline.create_job_key(p_correlation_id text, p_wrapped bytea, p_master_key_id text)
RETURNS TABLE (wrapped bytea, master_key_id text, erased_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  INSERT INTO phaseline.job_keys (correlation_id, wrapped, master_key_id)
  VALUES (p_correlation_id, p_wrapped, p_master_key_id)
  ON CONFLICT DO NOTHING;
  -- A separate statement, which sees the row of a concurrent caller.
  RETURN QUERY SELECT k.wrapped, k.master_key_id, k.erased_at FROM phaseline.job_keys AS k
    WHERE k.correlation_id = p_correlation_id;
END
$$;

-- Replaces the wrapped key by the same key under another master key. Changes nothing if the key was erased, or was wrapped again
-- by another process in the meantime.
CREATE FUNCTION phaseline.rewrap_job_key(p_correlation_id text, p_before bytea, p_wrapped bytea, p_master_key_id text)
RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE phaseline.job_keys SET wrapped = p_wrapped, master_key_id = p_master_key_id
  WHERE correlation_id = p_correlation_id AND wrapped = p_before AND p_wrapped IS NOT NULL;
  RETURN FOUND;
END
$$;

-- Destroys the key, and the content that only this key could decrypt. Returns false if that was done before.
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

-- Stores contents that are already encrypted. The row of the key stays locked until the transaction ends, so that nothing is stored
-- after the key was erased.
CREATE FUNCTION phaseline.put_encrypted_blobs(p_correlation_id text, p_names bytea[], p_contents bytea[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM phaseline.job_keys WHERE correlation_id = p_correlation_id AND wrapped IS NOT NULL FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'job % has no key: it was erased, or never existed', p_correlation_id USING ERRCODE = 'PL013';
  END IF;
  -- Sorted, so that two transactions with the same contents never deadlock.
  INSERT INTO phaseline.encrypted_blobs (correlation_id, name, content)
  SELECT p_correlation_id, b.name, b.content FROM unnest(p_names, p_contents) AS b(name, content) ORDER BY b.name
  ON CONFLICT DO NOTHING;
END
$$;

REVOKE ALL ON FUNCTION phaseline.create_job_key, phaseline.rewrap_job_key, phaseline.erase_job_key, phaseline.put_encrypted_blobs
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.create_job_key, phaseline.rewrap_job_key, phaseline.erase_job_key,
  phaseline.put_encrypted_blobs TO phaseline_service;

CREATE TRIGGER encrypted_blobs_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseline.encrypted_blobs
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change('erase_job_key');
-- A key is erased by an UPDATE: the row stays and says when.
CREATE TRIGGER job_keys_are_kept BEFORE DELETE OR TRUNCATE ON phaseline.job_keys
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_content_change();
ALTER TABLE phaseline.encrypted_blobs ENABLE ALWAYS TRIGGER encrypted_blobs_are_append_only;
ALTER TABLE phaseline.job_keys ENABLE ALWAYS TRIGGER job_keys_are_kept;
