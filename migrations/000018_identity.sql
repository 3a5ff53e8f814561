-- Principals, their roles and their keys. The log decides (streams principal-<id>); each change is written here in the transaction of its
-- event, so that a request is authenticated without a fold. docs/reference/rights.md lists what each role may do.

CREATE TABLE phaseline.principals (
  id         text COLLATE "C" PRIMARY KEY,
  kind       text NOT NULL CHECK (kind IN ('person', 'service')),
  created_at timestamptz NOT NULL,
  created_by text NOT NULL,
  -- NULL while the principal may act.
  disabled_at timestamptz
);

CREATE TABLE phaseline.principal_roles (
  principal_id text COLLATE "C" NOT NULL REFERENCES phaseline.principals,
  role         text COLLATE "C" NOT NULL,
  -- * for all tenants.
  tenant       text COLLATE "C" NOT NULL,
  granted_at   timestamptz NOT NULL,
  granted_by   text NOT NULL,
  PRIMARY KEY (principal_id, role, tenant)
);

CREATE TABLE phaseline.principal_keys (
  prefix       text COLLATE "C" PRIMARY KEY CHECK (prefix ~ '^[0-9a-f]{8}$'),
  principal_id text COLLATE "C" NOT NULL REFERENCES phaseline.principals,
  -- SHA-256 of the key, which is stored nowhere.
  digest       bytea NOT NULL CHECK (octet_length(digest) = 32),
  label        text NOT NULL,
  -- The only rights and tenants of the key; NULL if it has all those of its principal.
  rights       text[],
  tenants      text[],
  created_at   timestamptz NOT NULL,
  created_by   text NOT NULL,
  expires_at   timestamptz,
  revoked_at   timestamptz
);
CREATE INDEX principal_keys_principal ON phaseline.principal_keys (principal_id);

GRANT SELECT, INSERT, UPDATE ON phaseline.principals, phaseline.principal_keys TO phaseline_service;
GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.principal_roles TO phaseline_service;
