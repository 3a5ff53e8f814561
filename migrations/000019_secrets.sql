-- Secrets of tenants, which tools use. The log records who stored and removed them (streams secrets-<tenant>); the values are only
-- here, encrypted with a master key that is never in the database. docs/how-to/secrets.md describes their use.

CREATE TABLE phaseline.secrets (
  tenant        text COLLATE "C" NOT NULL CHECK (tenant <> ''),
  name          text COLLATE "C" NOT NULL CHECK (name ~ '^[A-Za-z_][A-Za-z0-9_]{0,63}$'),
  -- The only agent that may use the secret; empty if every agent of the tenant may.
  agent         text COLLATE "C" NOT NULL,
  -- Bound to tenant, agent and name: it cannot be decrypted in another row.
  encrypted     bytea NOT NULL,
  master_key_id text NOT NULL CHECK (master_key_id ~ '^[0-9a-f]{16}$'),
  stored_by     text NOT NULL,
  stored_at     timestamptz NOT NULL,
  PRIMARY KEY (tenant, name, agent)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.secrets TO phaseline_service;
