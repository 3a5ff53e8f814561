-- The event log: events (append-only) and streams (their heads). libs/event-store/README.md describes it.

CREATE SCHEMA IF NOT EXISTS phaseline;

-- The role of the services. It cannot log in; the operator creates logins that are members of it.
-- Roles belong to the whole cluster, so the migration of another database may create it at the same time.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = 'phaseline_service') THEN
    CREATE ROLE phaseline_service NOLOGIN;
  END IF;
EXCEPTION
  WHEN duplicate_object OR unique_violation THEN NULL;
  WHEN insufficient_privilege THEN
    RAISE EXCEPTION 'the role phaseline_service does not exist, and this user may not create it'
      USING HINT = 'As a superuser run: CREATE ROLE phaseline_service NOLOGIN; then migrate again.';
END
$$;

GRANT USAGE ON SCHEMA phaseline TO phaseline_service;

-- One row per stream. Every column can be rebuilt from events; the table exists because an append needs the version and the last
-- hash at once. COLLATE "C": ids are compared byte by byte, and a prefix search can use the index.
-- fillfactor: a row is rewritten by every append. Free space on its page allows HOT updates, which leave the indexes unchanged.
-- For the same reason no index may contain version, hash or updated_at.
CREATE TABLE phaseline.streams (
  stream_id      text COLLATE "C" PRIMARY KEY,
  version        bigint NOT NULL,
  hash           bytea NOT NULL,
  correlation_id text COLLATE "C" NOT NULL,
  closed         boolean NOT NULL,
  updated_at     timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX streams_open ON phaseline.streams (stream_id) WHERE NOT closed;

-- data and metadata are json, not jsonb: json keeps the exact bytes that were hashed (jsonb reorders keys and rewrites numbers), so
-- verifying needs nothing but the row. The operators -> and ->> work on both.
-- position increases with every event but has gaps; within one correlation it follows the order of commits.
-- The tail of the log is ordered by transaction_id. Neither column is hashed: both belong to this server, not to the event.
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
-- ALWAYS: the trigger also fires under session_replication_role = replica, which would otherwise disable it.
ALTER TABLE phaseline.events ENABLE ALWAYS TRIGGER events_are_append_only;

GRANT SELECT ON phaseline.streams, phaseline.events TO phaseline_service;
GRANT SELECT ON phaseline.migrations TO phaseline_service;
