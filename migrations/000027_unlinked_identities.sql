-- Accounts of OpenID providers can be unlinked (IdentityUnlinked).
GRANT DELETE ON phaseline.principal_identities TO phaseline_service;

-- Finds the oldest attempts to sign in: only a limited number is kept, because nobody is authenticated when one begins.
CREATE INDEX sign_in_attempts_expiry ON phaseline.sign_in_attempts (expires_at);
