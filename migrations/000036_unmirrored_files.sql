-- Files that the mirror of a machine could not write or remove. Each is tried again, and the mirror goes on without it.
CREATE TABLE phaseline.unmirrored_files (
  -- Name of the mirror's subscription: one per machine and folder.
  mirror      text COLLATE "C" NOT NULL,
  job_id      text COLLATE "C" NOT NULL,
  -- Empty: the event itself could not be read, so the files that it names are not known.
  path        text COLLATE "C" NOT NULL,
  -- Content that the file should have; NULL: it should not exist.
  hash        text,
  size        bigint,
  -- Machine and folder, for people.
  place       text NOT NULL,
  reason      text NOT NULL,
  attempts    integer NOT NULL DEFAULT 1,
  since       timestamptz NOT NULL DEFAULT now(),
  next_try_at timestamptz NOT NULL DEFAULT now() + interval '1 minute',
  PRIMARY KEY (mirror, job_id, path)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.unmirrored_files TO phaseline_service;
