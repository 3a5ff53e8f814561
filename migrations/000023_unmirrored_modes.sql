-- A file that the mirror on disk could not write is retried with its mode; NULL for a plain file. An executable file became a plain one.
ALTER TABLE phaseline.unmirrored_files ADD COLUMN mode text;
