-- Snapshots: folded states of streams, so that the state at any point of a long job is near a stored one.
-- docs/how-to/time-travel.md describes them. Every row can be recomputed from the log, and may be deleted at any time.
-- fold_version is the version of the fold that computed the row; rows of other versions are never read. hash is that of the event at
-- version: a row is used only if the log contains exactly that event.
CREATE TABLE phaseline.snapshots (
  stream_id    text COLLATE "C" NOT NULL,
  version      bigint NOT NULL CHECK (version > 0),
  fold_version text COLLATE "C" NOT NULL,
  hash         bytea NOT NULL,
  state        json NOT NULL,
  taken_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (stream_id, fold_version, version)
);

GRANT SELECT, INSERT, DELETE ON phaseline.snapshots TO phaseline_service;
