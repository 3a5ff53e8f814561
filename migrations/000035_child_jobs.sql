-- Child jobs and the calls that delegated their tasks. A row is stored before the child job is submitted; the id of the job is derived from the
-- call.
CREATE TABLE phaseline.child_jobs (
  child_id  uuid PRIMARY KEY,
  parent_id uuid NOT NULL,
  phase     integer NOT NULL,
  call_id   text COLLATE "C" NOT NULL
);
CREATE INDEX child_jobs_parent ON phaseline.child_jobs (parent_id);
GRANT SELECT, INSERT ON phaseline.child_jobs TO phaseline_service;
