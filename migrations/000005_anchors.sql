-- Anchors: signed statements of what the log contained, so that the later removal of the end of a stream, or of a whole stream, is
-- detected. docs/concepts/audit.md describes them; libs/audit creates and verifies them. The checks of add_anchor catch mistakes, not
-- manipulation: an anchor is proven by its signature, with a key that is not in this database.

-- Public keys (DER, SubjectPublicKeyInfo), named by their SHA-256.
CREATE TABLE phaseline.audit_keys (
  key_id       bytea PRIMARY KEY CHECK (key_id = sha256(public_key)),
  public_key   bytea NOT NULL,
  published_at timestamptz NOT NULL DEFAULT now()
);

-- An anchor covers every event whose transaction_id is below its horizon. Its Merkle root covers only the heads of streams that
-- changed since the previous anchor, and it contains the hash of that anchor: so its cost depends on what is new, and the chain of
-- anchors covers everything. streams and events are totals over this anchor and all earlier ones.
CREATE TABLE phaseline.anchors (
  number        bigint PRIMARY KEY CHECK (number > 0),
  previous_hash bytea NOT NULL,
  anchored_at   timestamptz NOT NULL,
  key_id        bytea NOT NULL REFERENCES phaseline.audit_keys,
  horizon       xid8 NOT NULL,
  position      bigint NOT NULL,
  streams       bigint NOT NULL,
  events        bigint NOT NULL,
  heads         bigint NOT NULL,
  root          bytea NOT NULL,
  hash          bytea NOT NULL,
  signature     bytea NOT NULL
);

-- The leaves of each Merkle root, in the order of their stream ids.
CREATE TABLE phaseline.anchored_heads (
  anchor    bigint NOT NULL REFERENCES phaseline.anchors,
  stream_id text COLLATE "C" NOT NULL,
  version   bigint NOT NULL,
  hash      bytea NOT NULL,
  PRIMARY KEY (anchor, stream_id)
);

CREATE INDEX anchored_heads_stream ON phaseline.anchored_heads (stream_id, version);

CREATE FUNCTION phaseline.refuse_audit_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION '% on phaseline.% is refused: anchors are append-only', TG_OP, TG_TABLE_NAME USING ERRCODE = 'PL001';
END
$$;

CREATE TRIGGER audit_keys_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseline.audit_keys
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_audit_change();
CREATE TRIGGER anchors_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseline.anchors
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_audit_change();
CREATE TRIGGER anchored_heads_are_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON phaseline.anchored_heads
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.refuse_audit_change();
ALTER TABLE phaseline.audit_keys ENABLE ALWAYS TRIGGER audit_keys_are_append_only;
ALTER TABLE phaseline.anchors ENABLE ALWAYS TRIGGER anchors_are_append_only;
ALTER TABLE phaseline.anchored_heads ENABLE ALWAYS TRIGGER anchored_heads_are_append_only;

-- Hash of the signed content of an anchor: one netstring for each of, in this order: "phaseline-anchor-1", number, previous hash,
-- anchored at, key id, horizon, position, streams, events, heads, root (hashes in hex, the time as in event_hash).
-- libs/audit/src/anchor/anchor.ts implements it in TypeScript.
CREATE FUNCTION phaseline.anchor_hash(
  p_number bigint, p_previous_hash bytea, p_anchored_at timestamptz, p_key_id bytea, p_horizon xid8, p_position bigint,
  p_streams bigint, p_events bigint, p_heads bigint, p_root bytea
) RETURNS bytea LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp
RETURN (
  SELECT sha256(convert_to(string_agg(octet_length(f.value) || ':' || f.value || ',', '' ORDER BY f.n), 'UTF8'))
  FROM unnest(ARRAY['phaseline-anchor-1', p_number::text, encode(p_previous_hash, 'hex'),
    to_char(p_anchored_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), encode(p_key_id, 'hex'), p_horizon::text,
    p_position::text, p_streams::text, p_events::text, p_heads::text, encode(p_root, 'hex')]) WITH ORDINALITY AS f(value, n));

-- Adds the next anchor. Returns false if another process has added it first, and fails if the content is impossible.
CREATE FUNCTION phaseline.add_anchor(
  p_number bigint, p_previous_hash bytea, p_anchored_at timestamptz, p_public_key bytea, p_horizon xid8, p_position bigint,
  p_streams bigint, p_events bigint, p_root bytea, p_hash bytea, p_signature bytea,
  p_stream_ids text[], p_versions bigint[], p_hashes bytea[]
) RETURNS boolean
LANGUAGE plpgsql
SECURITY DEFINER
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  v_key_id   bytea := sha256(p_public_key);
  v_heads    bigint := coalesce(array_length(p_stream_ids, 1), 0);
  v_number   bigint;
  v_previous bytea;
  v_horizon  xid8;
BEGIN
  PERFORM pg_advisory_xact_lock(7406318256);
  SELECT s.number, s.hash, s.horizon INTO v_number, v_previous, v_horizon
  FROM phaseline.anchors AS s ORDER BY s.number DESC LIMIT 1;
  IF p_number <> coalesce(v_number, 0) + 1 OR p_previous_hash <> coalesce(v_previous, decode(repeat('00', 32), 'hex')) THEN
    RETURN false;
  END IF;
  IF p_horizon <= v_horizon OR p_horizon > pg_snapshot_xmin(pg_current_snapshot()) THEN
    RAISE EXCEPTION 'horizon % is not between that of the previous anchor and the oldest open transaction', p_horizon
      USING ERRCODE = 'PL003';
  END IF;
  IF v_heads = 0 OR array_length(p_versions, 1) <> v_heads OR array_length(p_hashes, 1) <> v_heads
     OR octet_length(p_root) <> 32 OR octet_length(p_signature) <> 64
     OR p_hash <> phaseline.anchor_hash(p_number, p_previous_hash, p_anchored_at, v_key_id, p_horizon, p_position,
                                      p_streams, p_events, v_heads, p_root) THEN
    RAISE EXCEPTION 'the parts of anchor % are inconsistent', p_number USING ERRCODE = 'PL003';
  END IF;
  IF EXISTS (
    SELECT FROM unnest(p_stream_ids, p_versions, p_hashes) AS h(stream_id, version, hash)
    LEFT JOIN phaseline.events AS e ON e.stream_id = h.stream_id AND e.version = h.version AND e.hash = h.hash
    WHERE e.stream_id IS NULL
  ) THEN
    RAISE EXCEPTION 'anchor % names a head that is not in the log', p_number USING ERRCODE = 'PL003';
  END IF;

  INSERT INTO phaseline.audit_keys (key_id, public_key) VALUES (v_key_id, p_public_key) ON CONFLICT DO NOTHING;
  INSERT INTO phaseline.anchors (number, previous_hash, anchored_at, key_id, horizon, position, streams, events, heads, root, hash,
                               signature)
  VALUES (p_number, p_previous_hash, p_anchored_at, v_key_id, p_horizon, p_position, p_streams, p_events, v_heads, p_root, p_hash,
          p_signature);
  INSERT INTO phaseline.anchored_heads (anchor, stream_id, version, hash)
  SELECT p_number, h.stream_id, h.version, h.hash FROM unnest(p_stream_ids, p_versions, p_hashes) AS h(stream_id, version, hash);
  RETURN true;
END
$$;

REVOKE ALL ON FUNCTION phaseline.add_anchor FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.add_anchor TO phaseline_service;
GRANT SELECT ON phaseline.audit_keys, phaseline.anchors, phaseline.anchored_heads TO phaseline_service;
