-- The end of work on a repository that began before the job ended can be recorded after it: a change of the head by the last call, and an
-- output that was requested while the job ran. The rule of 000026_vector_retention.sql, with RepositoryChanged, RepositoryOutputMade and
-- RepositoryOutputFailed.
CREATE OR REPLACE FUNCTION phaseline.may_follow(p_previous text, p_next text) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
  WHEN p_previous IN ('JobCompleted', 'JobCancelled', 'JobFailed') THEN
    p_next IN (
      'JobErased', 'RepositoryChanged', 'RepositoryOutputRequested', 'RepositoryOutputMade', 'RepositoryOutputFailed',
      'FilesRemoved', 'VectorsRemoved', 'HoldPlaced', 'HoldReleased')
    OR (p_previous = 'JobFailed' AND p_next = 'JobRetried')
  WHEN p_previous IN ('JobErased', 'PhaseCompleted', 'PhaseFailed', 'PhaseCancelled') THEN false
  ELSE true
END;
