-- What jobs of an agent learned, for later jobs of the same agent and tenant. A projection of the events ExperienceNoted, kept
-- from the log with its checkpoint (libs/projections/src/experiences): each row can be had again, and nothing decides by them.
-- A new job gets them as a file of its first tree, so that a replay of it reads its own log alone.

CREATE TABLE phaseline.experiences (
  -- Of the event.
  position bigint PRIMARY KEY,
  tenant   text COLLATE "C" NOT NULL,
  agent    text COLLATE "C" NOT NULL,
  job_id   uuid NOT NULL,
  kind     text COLLATE "C" NOT NULL,
  -- One line that a model wrote, or that the machine made of what a model wrote. Never an instruction.
  text     text NOT NULL CHECK (char_length(text) <= 1000)
);

CREATE INDEX ON phaseline.experiences (tenant, agent, position);

GRANT SELECT, INSERT, DELETE ON phaseline.experiences TO phaseline_service;
