-- What a process found on its machine, by name, such as the version of git; an empty text for what is missing. An ability that a process
-- does not name is unknown: its release may not report it.
ALTER TABLE phaseline.processes ADD COLUMN abilities jsonb NOT NULL DEFAULT '{}';
