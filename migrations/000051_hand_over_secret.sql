-- The secret with which services seal what they hand over to each other, so that the queue server, and others who can reach it, can neither
-- read nor forge it (docs/concepts/design.md). Only the role of the services can read it: it gives no more rights than this role has.
-- To replace it, update the row and restart the services.
CREATE TABLE phaseline.hand_over_secret (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  secret  bytea NOT NULL CHECK (octet_length(secret) = 32)
);

-- Two random UUIDs have 244 random bits of a cryptographic generator.
INSERT INTO phaseline.hand_over_secret (secret)
VALUES (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));

GRANT SELECT ON phaseline.hand_over_secret TO phaseline_service;
