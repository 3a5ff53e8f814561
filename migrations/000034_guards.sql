-- Guards that tenants and the installation store. The log has all versions and changes (streams guard-<name>@<tenant>, and guard-<name> for the
-- installation); this table has what phases receive, and what lists show. docs/how-to/guards.md describes their use.

CREATE TABLE phaseline.guards (
  -- Empty for a guard of the installation.
  tenant         text COLLATE "C" NOT NULL,
  name           text COLLATE "C" NOT NULL CHECK (name ~ '^[a-z][a-z0-9-]{0,62}$'),
  -- Number of the events of its stream that the row includes.
  stream_version integer NOT NULL CHECK (stream_version > 0),
  -- Owner, kind, and the newest version and those in shadow and production.
  summary        jsonb NOT NULL,
  -- The versions in shadow and production, as phases receive them.
  in_force       jsonb NOT NULL,
  changed_by     text NOT NULL,
  changed_at     timestamptz NOT NULL,
  PRIMARY KEY (tenant, name)
);

GRANT SELECT, INSERT, UPDATE ON phaseline.guards TO phaseline_service;
