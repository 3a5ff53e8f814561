-- Number of a process on its host, and the queues whose messages it handles, as it reports them. NULL: its release does not report them.
ALTER TABLE phaseline.processes ADD COLUMN pid integer, ADD COLUMN queues text[];
