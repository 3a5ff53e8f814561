-- Sign-in in a browser: one-time links, attempts to sign in through OpenID Connect, and sessions. Only hashes of the tokens are stored,
-- so a copy of these tables signs nobody in. docs/how-to/sign-in.md describes their use.

CREATE TABLE phaseline.login_links (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  principal  text COLLATE "C" NOT NULL,
  expires_at timestamptz NOT NULL
);

-- One row from the redirect to the provider until it redirects back. browser_hash binds the attempt to the browser that began it.
CREATE TABLE phaseline.sign_in_attempts (
  state_hash   bytea PRIMARY KEY CHECK (octet_length(state_hash) = 32),
  browser_hash bytea NOT NULL CHECK (octet_length(browser_hash) = 32),
  nonce        text NOT NULL,
  verifier     text NOT NULL,
  expires_at   timestamptz NOT NULL
);

-- expires_at is final; idle_until moves with every use.
CREATE TABLE phaseline.sessions (
  token_hash bytea PRIMARY KEY CHECK (octet_length(token_hash) = 32),
  session_id uuid NOT NULL UNIQUE,
  principal  text COLLATE "C" NOT NULL,
  started_at timestamptz NOT NULL,
  idle_until timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_principal ON phaseline.sessions (principal);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.login_links, phaseline.sign_in_attempts, phaseline.sessions
  TO phaseline_service;
