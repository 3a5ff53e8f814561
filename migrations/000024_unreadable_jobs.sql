-- Why a job stands still in the read models: its event cannot be read, or its rows cannot be written. NULL where the event is
-- of a newer release, of which nothing is wrong. What can be read of such a job is listed; its end is still taken in.
ALTER TABLE phaseline.read_models_behind ADD COLUMN reason text;
