-- Vectors: semantic search over the files of jobs. All rows are derived from the workspaces: the next search fills empty tables again.
-- No text is stored here, only the location and the embedding of each chunk; a search reads the text from the workspace.

-- Embeddings of texts, so that each is paid for once per tenant. digest is the SHA-256 of the text. space identifies an embedder and its
-- model; vectors of different spaces cannot be compared. embedding contains little-endian float32 numbers, normalised to length 1.
CREATE TABLE phaseline.vector_embeddings (
  tenant    text COLLATE "C" NOT NULL,
  space     text COLLATE "C" NOT NULL,
  digest    bytea NOT NULL CHECK (octet_length(digest) = 32),
  embedding bytea NOT NULL,
  made_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (tenant, space, digest)
);

-- File contents that a job has indexed, by their hash in the workspace. The tree of the job decides which of them a search finds, so
-- that a changed or deleted file is excluded by the same commit.
CREATE TABLE phaseline.vector_files (
  job_id      uuid NOT NULL,
  space       text COLLATE "C" NOT NULL,
  file_hash   bytea NOT NULL CHECK (octet_length(file_hash) = 32),
  chunks      integer NOT NULL,
  -- Why the file was not indexed: no text, or too large. NULL if it was.
  skip_reason text,
  indexed_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (job_id, space, file_hash)
);

CREATE TABLE phaseline.vector_chunks (
  job_id    uuid NOT NULL,
  space     text COLLATE "C" NOT NULL,
  file_hash bytea NOT NULL,
  ordinal   integer NOT NULL,
  -- First and last line, counted from 1.
  from_line integer NOT NULL,
  to_line   integer NOT NULL,
  tenant    text COLLATE "C" NOT NULL,
  digest    bytea NOT NULL,
  PRIMARY KEY (job_id, space, file_hash, ordinal),
  FOREIGN KEY (job_id, space, file_hash) REFERENCES phaseline.vector_files ON DELETE CASCADE,
  FOREIGN KEY (tenant, space, digest) REFERENCES phaseline.vector_embeddings
);
CREATE INDEX vector_chunks_embedding ON phaseline.vector_chunks (tenant, space, digest);

GRANT SELECT, INSERT ON phaseline.vector_embeddings, phaseline.vector_files, phaseline.vector_chunks TO phaseline_service;

-- Deletes what was indexed for a job, and the embeddings that no other job of its tenant uses. Returns the number of deleted chunks.
CREATE FUNCTION phaseline.forget_vectors(p_job_id uuid) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_chunks integer;
BEGIN
  WITH deleted AS (
    DELETE FROM phaseline.vector_chunks AS c WHERE c.job_id = p_job_id RETURNING c.tenant, c.space, c.digest
  ), unused AS (
    DELETE FROM phaseline.vector_embeddings AS e
    WHERE (e.tenant, e.space, e.digest) IN (SELECT g.tenant, g.space, g.digest FROM deleted AS g)
      AND NOT EXISTS (
        SELECT FROM phaseline.vector_chunks AS o
        WHERE o.tenant = e.tenant AND o.space = e.space AND o.digest = e.digest AND o.job_id <> p_job_id)
  )
  SELECT count(*) INTO v_chunks FROM deleted;
  DELETE FROM phaseline.vector_files AS f WHERE f.job_id = p_job_id;
  RETURN v_chunks;
END
$$;

REVOKE ALL ON FUNCTION phaseline.forget_vectors FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.forget_vectors TO phaseline_service;

-- If the server has pgvector, embeddings are also stored as its type and compared by the server, and each space has an HNSW index.
-- Otherwise the column does not exist, and the services compare embeddings themselves.
DO $do$
DECLARE
  v_schema text;
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_available_extensions WHERE name = 'vector') THEN
    RETURN;
  END IF;
  BEGIN
    CREATE EXTENSION IF NOT EXISTS vector;
  EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'pgvector is installed, but this role may not create its extension: the services compare embeddings themselves';
    RETURN;
  END;
  SELECT quote_ident(n.nspname) INTO v_schema
  FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = 'vector';
  EXECUTE format('ALTER TABLE phaseline.vector_embeddings ADD COLUMN embedding_vector %s.vector', v_schema);
  -- Creates the index of a space once. Called before the first embedding of the space is stored, so that it blocks nobody.
  EXECUTE format($function$
    CREATE FUNCTION phaseline.index_vector_space(p_name text, p_space text, p_dimensions integer) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
    BEGIN
      IF p_name !~ '^vector_hnsw_[0-9a-f]{24}$' OR p_dimensions NOT BETWEEN 1 AND 2000 THEN
        RAISE EXCEPTION 'invalid name or dimensions of an index: %%', p_name;
      END IF;
      PERFORM pg_advisory_xact_lock(7406160016);
      IF to_regclass('phaseline.' || p_name) IS NULL THEN
        EXECUTE format('CREATE INDEX %%I ON phaseline.vector_embeddings USING hnsw ((embedding_vector::%1$s.vector(%%s)) %1$s.vector_cosine_ops) WHERE space = %%L',
                       p_name, p_dimensions, p_space);
      END IF;
    END
    $body$
  $function$, v_schema);
  REVOKE ALL ON FUNCTION phaseline.index_vector_space FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION phaseline.index_vector_space TO phaseline_service;
END
$do$;
