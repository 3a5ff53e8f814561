-- The event log: streams (their heads), events (append-only), blobs (content-addressed bytes).
-- Read libs/event-store/README.md first; the append function follows in 000002.

CREATE SCHEMA IF NOT EXISTS phaseline;

-- The role of the services. It has no login: whoever runs Phaseline makes a login that is a member of it.
-- Roles belong to the whole cluster, so another database's migration may create it at this very moment.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'phaseline_service') THEN
    CREATE ROLE phaseline_service NOLOGIN;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'the role phaseline_service does not exist and this user may not create it'
      USING HINT = 'As a superuser run: CREATE ROLE phaseline_service NOLOGIN; then migrate again.';
END
$$;

GRANT USAGE ON SCHEMA phaseline TO phaseline_service;

-- One row a stream. Everything here can be rebuilt from events; it is kept because an append must know
-- version and last hash at once. COLLATE "C": ids are compared byte by byte, and a prefix search can use the index.
-- fillfactor: a row is rewritten at every append, and room on its page keeps that rewrite out of the indexes (HOT).
-- For the same reason no index may hold version, hash or updated_at.
CREATE TABLE phaseline.streams (
  stream_id      text COLLATE "C" PRIMARY KEY,
  version        bigint NOT NULL,
  hash           bytea NOT NULL,
  correlation_id text COLLATE "C" NOT NULL,
  closed         boolean NOT NULL,
  updated_at     timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX streams_open ON phaseline.streams (stream_id) WHERE NOT closed;

-- data and metadata are json, not jsonb: json keeps the very bytes that were hashed (jsonb reorders keys and
-- rewrites numbers), so a verifier needs nothing but the row. The operators -> and ->> work on both.
-- position rises with every event but has gaps; within one correlation its order is the order of commits.
-- transaction_id is what the tail orders by. Neither is hashed: both belong to this server, not to the event.
CREATE TABLE phaseline.events (
  position       bigint GENERATED ALWAYS AS IDENTITY,
  version        bigint NOT NULL,
  transaction_id xid8 NOT NULL,
  recorded_at    timestamptz NOT NULL,
  event_id       uuid NOT NULL,
  schema_version integer NOT NULL,
  stream_id      text COLLATE "C" NOT NULL,
  type           text COLLATE "C" NOT NULL,
  correlation_id text COLLATE "C" NOT NULL,
  hash           bytea NOT NULL,
  data           json NOT NULL,
  metadata       json NOT NULL,
  PRIMARY KEY (stream_id, version)
);

CREATE UNIQUE INDEX events_event_id ON phaseline.events (event_id);
CREATE UNIQUE INDEX events_correlation ON phaseline.events (correlation_id, position);
CREATE UNIQUE INDEX events_tail ON phaseline.events (transaction_id, position);

CREATE FUNCTION phaseline.refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION '% on phaseline.events is refused: the log is append-only', TG_OP
    USING ERRCODE = 'PL001', HINT = 'Record the correction as a new event.';
END
$$;

CREATE TRIGGER events_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseline.events
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_change();
-- ALWAYS: also under session_replication_role = replica, which would otherwise be a way round it.
ALTER TABLE phaseline.events ENABLE ALWAYS TRIGGER events_are_append_only;

-- Bytes of files and of long texts, named by their SHA-256. The check makes a row that lies about its name impossible.
-- EXTERNAL: stored as they are, out of line. Compressing costs more time than the disk it saves, and most
-- large files (PDF, DOCX, images) do not shrink.
CREATE TABLE phaseline.blobs (
  hash    bytea PRIMARY KEY CHECK (hash = sha256(content)),
  size    bigint GENERATED ALWAYS AS (octet_length(content)) STORED,
  content bytea STORAGE EXTERNAL NOT NULL,
  stored_at timestamptz NOT NULL DEFAULT now()
);

GRANT SELECT ON phaseline.streams, phaseline.events TO phaseline_service;
GRANT SELECT, INSERT ON phaseline.blobs TO phaseline_service;
GRANT SELECT ON phaseline.migrations TO phaseline_service;
