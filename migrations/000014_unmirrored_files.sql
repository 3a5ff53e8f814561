-- Files that the disk mirror of a machine could not write or remove. Each is retried while the mirror continues with others.
CREATE TABLE phaseline.unmirrored_files (
  -- Name of the mirror's subscription: one per machine and folder.
  mirror          text COLLATE "C" NOT NULL,
  job_id          text COLLATE "C" NOT NULL,
  -- Empty if the event itself could not be read, so that its files are not known.
  path            text COLLATE "C" NOT NULL,
  -- Expected content; NULL if the file should not exist.
  hash            text,
  size            bigint,
  -- Machine and folder, for people.
  location        text NOT NULL,
  reason          text NOT NULL,
  attempts        integer NOT NULL DEFAULT 1,
  first_failed_at timestamptz NOT NULL DEFAULT now(),
  next_try_at     timestamptz NOT NULL DEFAULT now() + interval '1 minute',
  PRIMARY KEY (mirror, job_id, path)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.unmirrored_files TO phaseline_service;
