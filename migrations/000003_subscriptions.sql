-- Who reads the log, how far, and which replica holds which share of it.

-- Of the correlations of the log, those that belong to one partition. A stored checkpoint counts on a correlation staying
-- in its partition: PostgreSQL keeps this hash function stable, because hash partitioned tables count on it as well.
CREATE FUNCTION phaseline.partition_of(p_correlation_id text, p_partitions integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ((hashtextextended(p_correlation_id, 0) & 9223372036854775807) % p_partitions)::integer;

-- One row a partition. Everything up to and including (transaction_id, position) has been handled.
-- epoch rises when the partition changes hands; a former owner's checkpoint is refused by it.
-- The rows are rewritten all the time: room on the page, and no index but the key, keep that cheap.
CREATE TABLE phaseline.subscriptions (
  name             text COLLATE "C" NOT NULL,
  partition        integer NOT NULL,
  partitions       integer NOT NULL,
  transaction_id   xid8 NOT NULL DEFAULT '0',
  position         bigint NOT NULL DEFAULT 0,
  owner            text,
  lease_expires_at timestamptz,
  epoch            bigint NOT NULL DEFAULT 0,
  updated_at       timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (name, partition)
) WITH (fillfactor = 50);

-- Replicas that want a share, whether or not they hold one yet: the fair share depends on their number.
CREATE TABLE phaseline.subscription_members (
  name       text COLLATE "C" NOT NULL,
  owner      text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (name, owner)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.subscriptions, phaseline.subscription_members TO phaseline_service;
