-- A plan whose submission names no goal begins one with its own id, so that later sessions can name it.
--
-- The next start of an orchestrator builds tables of the new revision next to those of the previous release. Without events there is
-- nothing to build.
UPDATE phaseline.read_models SET revision = 9 WHERE state = 'active' AND NOT EXISTS (SELECT FROM phaseline.events);
