-- Learning traces: what guards, checks and people refused or decided in jobs, one row per event (libs/learning). A projection of the log with a
-- checkpoint of its own, which can be rebuilt; no decision depends on it. Encrypted jobs have none, because the texts are stored as they are.

-- The lexemes of a text. Paths and codes are split into their parts, because people ask for a part of them.
CREATE FUNCTION phaseline.learning_lexemes(p_text text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$ SELECT to_tsvector('pg_catalog.english', translate(p_text, '/\._-:', '      ')) $$;

CREATE TABLE phaseline.learning_traces (
  -- Id of the event.
  id          uuid PRIMARY KEY,
  -- Position of the event; lists are ordered by it.
  position    bigint NOT NULL,
  tenant      text COLLATE "C" NOT NULL,
  -- The label `project` of the submission, else the URL of its repository, else its agent.
  project     text COLLATE "C" NOT NULL,
  -- Which jobs of the tenant may read it: its own, those of its project, or all. Only a person changes it.
  scope       text COLLATE "C" NOT NULL DEFAULT 'job' CHECK (scope IN ('job', 'project', 'universal')),
  job_id      uuid NOT NULL,
  -- NULL for an event of the job itself.
  phase       integer,
  recorded_at timestamptz NOT NULL,
  type        text COLLATE "C" NOT NULL,
  source      text COLLATE "C" NOT NULL,
  action      text COLLATE "C" NOT NULL,
  reason      text COLLATE "C" NOT NULL,
  agent       text COLLATE "C" NOT NULL,
  -- Id of the item of the loop, and number of the current todo.
  feature     text,
  todo        integer,
  -- Texts written by models, tools and people. Never instructions.
  task        text CHECK (char_length(task) <= 2001),
  happened    text NOT NULL CHECK (char_length(happened) <= 2001),
  correct     text CHECK (char_length(correct) <= 2001),
  why         text CHECK (char_length(why) <= 2001),
  -- Words of what happened count more than those of the reasons, which quote messages of tools.
  search      tsvector GENERATED ALWAYS AS (
    setweight(phaseline.learning_lexemes(happened), 'A') ||
    setweight(phaseline.learning_lexemes(coalesce(correct, '')), 'B') ||
    setweight(phaseline.learning_lexemes(coalesce(why, '') || ' ' || coalesce(task, '') || ' ' || coalesce(feature, '')), 'C') ||
    setweight(phaseline.learning_lexemes(action || ' ' || reason), 'D')
  ) STORED
);

CREATE INDEX ON phaseline.learning_traces (tenant, position);
CREATE INDEX ON phaseline.learning_traces (job_id);
CREATE INDEX ON phaseline.learning_traces (tenant, project) WHERE scope <> 'job';
CREATE INDEX ON phaseline.learning_traces USING gin (search);

GRANT SELECT, INSERT ON phaseline.learning_traces TO phaseline_service;
