-- The last time that heartbeats of a process could not be written for long, from the last one before to the first one after.
-- Processes that fell silent together with one that has just come back were cut off from the database, and are not dead:
-- they get a moment to say so before anybody takes their work over.
ALTER TABLE phaseline.processes
  ADD COLUMN away_from timestamptz,
  ADD COLUMN back_at   timestamptz;
