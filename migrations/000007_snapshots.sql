-- Snapshots: folded states of streams, so that any point of a long job is near one. Read docs/time-travel.md first.
-- Nothing here is a fact: every row can be folded again from the log, and all of them may be deleted at any time.
-- fold names the release of the fold that made the row; rows of another one are never read. hash is that of the event at
-- version: a row is used only while the log holds that very event.
CREATE TABLE phaseline.snapshots (
  stream_id text COLLATE "C" NOT NULL,
  version   bigint NOT NULL CHECK (version > 0),
  fold      text COLLATE "C" NOT NULL,
  hash      bytea NOT NULL,
  state     json NOT NULL,
  taken_at  timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (stream_id, fold, version)
);

GRANT SELECT, INSERT, DELETE ON phaseline.snapshots TO phaseline_service;
