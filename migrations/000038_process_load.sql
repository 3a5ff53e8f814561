-- What a process handles: {running, concurrency, handled: [{queue, minute, due, done}]}. `handled` counts the messages of the last minutes whose
-- rates cannot be computed from the log. It is part of the heartbeat, so it needs no commit of its own. NULL: the release does not report it.
ALTER TABLE phaseline.processes ADD COLUMN load jsonb;
