-- Subscriptions: how far each reader of the log has read, and which replica owns which partition.

-- Partition of a correlation. Stored checkpoints require that a correlation stays in its partition: PostgreSQL keeps this hash
-- function stable, because hash-partitioned tables require that as well.
CREATE FUNCTION phaseline.partition_of(p_correlation_id text, p_partitions integer) RETURNS integer
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN ((hashtextextended(p_correlation_id, 0) & 9223372036854775807) % p_partitions)::integer;

-- One row per partition. Everything up to and including (transaction_id, position) has been processed.
-- epoch increases when the partition changes its owner, so that a checkpoint of a former owner is rejected.
-- The rows are rewritten all the time. A low fillfactor, and no index but the primary key, keep that cheap (HOT updates).
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

-- Replicas that request partitions, whether or not they own one yet: the fair share depends on their number.
CREATE TABLE phaseline.subscription_members (
  name       text COLLATE "C" NOT NULL,
  owner      text NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (name, owner)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.subscriptions, phaseline.subscription_members TO phaseline_service;
