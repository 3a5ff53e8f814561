-- Accounts of OpenID providers with which principals sign in. The log decides (IdentityLinked in the streams principal-<id>), as in
-- 000018_identity.sql. docs/how-to/sign-in.md describes their use.

CREATE TABLE phaseline.principal_identities (
  issuer       text COLLATE "C" NOT NULL,
  subject      text COLLATE "C" NOT NULL,
  principal_id text COLLATE "C" NOT NULL REFERENCES phaseline.principals,
  linked_at    timestamptz NOT NULL,
  linked_by    text NOT NULL,
  -- An account belongs to one principal; a principal can have several.
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX principal_identities_principal ON phaseline.principal_identities (principal_id);

GRANT SELECT, INSERT ON phaseline.principal_identities TO phaseline_service;
