-- Jobs whose rows in the read models stand still: their logs hold an event that the release which kept the rows did not
-- understand. Their rows are as of right before it, and nothing behind it is counted until a release that understands it
-- folds them anew. Nobody else's rows wait for that.
CREATE TABLE phaseline.read_models_behind (
  job_id         uuid PRIMARY KEY,
  -- The first event that was not understood.
  position       bigint NOT NULL,
  type           text COLLATE "C" NOT NULL,
  schema_version integer NOT NULL,
  noted_at       timestamptz NOT NULL DEFAULT now()
);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.read_models_behind TO phaseline_service;
