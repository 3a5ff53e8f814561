-- Hosts to which repositories may send a secret, such as github.com or git.example.org:8443. Empty: no repository may use it. The encrypted
-- value is bound to them, so that a change of this column alone makes it unreadable.
ALTER TABLE phaseline.secrets ADD COLUMN repository_hosts text[] NOT NULL DEFAULT '{}';
