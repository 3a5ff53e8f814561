-- Experiences: what jobs of an agent learned, for later jobs of the same agent and tenant. A projection of the events ExperienceNoted,
-- updated from the log with a checkpoint of its own (libs/projections/src/experiences). It can be rebuilt, and no decision depends on it:
-- a new job receives experiences as a file of its first tree, so that its replay reads only its own log.

CREATE TABLE phaseline.experiences (
  -- Position of the event.
  position bigint PRIMARY KEY,
  tenant   text COLLATE "C" NOT NULL,
  agent    text COLLATE "C" NOT NULL,
  job_id   uuid NOT NULL,
  kind     text COLLATE "C" NOT NULL,
  -- One line, written by a model or derived from what a model wrote. Never an instruction.
  text     text NOT NULL CHECK (char_length(text) <= 1000)
);

CREATE INDEX ON phaseline.experiences (tenant, agent, position);

GRANT SELECT, INSERT, DELETE ON phaseline.experiences TO phaseline_service;
