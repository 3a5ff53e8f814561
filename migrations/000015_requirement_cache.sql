-- The requirement cache: requirements that jobs share in collections. Every effect records the job and the call that caused it, so
-- that a call that is executed again has one effect.

-- One row per requirement and collection. Requirements with the same normalised text are one.
CREATE TABLE phaseline.cached_requirements (
  id               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  collection       text COLLATE "C" NOT NULL,
  -- SHA-256 of the normalised text.
  digest           bytea NOT NULL CHECK (octet_length(digest) = 32),
  requirement_id   text COLLATE "C" NOT NULL,
  content          text NOT NULL,
  modality         text NOT NULL,
  section          text[] NOT NULL,
  citation         jsonb NOT NULL,
  confidence       real NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  written_by       uuid NOT NULL,
  written_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  status           text COLLATE "C" NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'claimed', 'done', 'failed')),
  -- Increases with every claim: the fencing token. A caller with an older token has lost its claim.
  token            integer NOT NULL DEFAULT 0,
  claimed_by       uuid,
  claim_call       text COLLATE "C",
  lease_expires_at timestamptz,
  note             text,
  ended_at         timestamptz,
  UNIQUE (collection, digest),
  CHECK ((status = 'claimed') = (lease_expires_at IS NOT NULL))
) WITH (fillfactor = 70);

-- The entries that may be claimed, in the order in which they are claimed.
CREATE INDEX cached_requirements_open ON phaseline.cached_requirements (collection, id) WHERE status IN ('pending', 'claimed');
CREATE INDEX cached_requirements_claims ON phaseline.cached_requirements (claimed_by, claim_call) WHERE status = 'claimed';

-- Which call stated a requirement: one row per call and place in it, also if the requirement was already in the cache.
CREATE TABLE phaseline.requirement_statements (
  job_id         uuid NOT NULL,
  call_id        text COLLATE "C" NOT NULL,
  ordinal        integer NOT NULL,
  entry_id       bigint NOT NULL REFERENCES phaseline.cached_requirements,
  requirement_id text COLLATE "C" NOT NULL,
  citation       jsonb NOT NULL,
  is_new         boolean NOT NULL,
  stated_at      timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (job_id, call_id, ordinal)
);
CREATE INDEX requirement_statements_entry ON phaseline.requirement_statements (entry_id);

-- How each claim ended. Rows are only added: an entry that was released and claimed again has several.
CREATE TABLE phaseline.requirement_outcomes (
  job_id   uuid NOT NULL,
  call_id  text COLLATE "C" NOT NULL,
  entry_id bigint NOT NULL REFERENCES phaseline.cached_requirements,
  token    integer NOT NULL,
  outcome  text COLLATE "C" NOT NULL CHECK (outcome IN ('done', 'failed', 'release', 'expired')),
  note     text,
  ended_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (job_id, call_id, entry_id, token)
);

-- The services may read, and write only through the functions below.
GRANT SELECT ON phaseline.cached_requirements, phaseline.requirement_statements, phaseline.requirement_outcomes TO phaseline_service;

-- Writes the requirements of one call: [{digest (hex), id, text, modality, section, citation, confidence}]. Returns one row
-- each, in order: the entry, whether this call created it, and its status.
CREATE FUNCTION phaseline.cache_requirements(p_collection text, p_job_id uuid, p_call_id text, p_entries jsonb)
RETURNS TABLE (ordinal integer, entry_id bigint, is_new boolean, requirement_id text, status text, written_by uuid)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  v_entry record;
  v_id    bigint;
  v_new   boolean;
BEGIN
  -- Sorted by digest, so that two calls with the same requirements never deadlock.
  FOR v_entry IN
    SELECT e.value AS value, e.ordinality::integer AS ordinal, decode(e.value ->> 'digest', 'hex') AS digest
    FROM jsonb_array_elements(p_entries) WITH ORDINALITY AS e ORDER BY e.value ->> 'digest', e.ordinality
  LOOP
    INSERT INTO phaseline.cached_requirements AS c
      (collection, digest, requirement_id, content, modality, section, citation, confidence, written_by)
    VALUES (p_collection, v_entry.digest, v_entry.value ->> 'id', v_entry.value ->> 'text', v_entry.value ->> 'modality',
            ARRAY(SELECT jsonb_array_elements_text(v_entry.value -> 'section')), v_entry.value -> 'citation',
            (v_entry.value ->> 'confidence')::real, p_job_id)
    ON CONFLICT (collection, digest) DO NOTHING
    RETURNING c.id INTO v_id;
    v_new := FOUND;
    IF NOT v_new THEN
      SELECT c.id INTO v_id FROM phaseline.cached_requirements AS c WHERE c.collection = p_collection AND c.digest = v_entry.digest;
    END IF;
    -- An earlier attempt of this call may have stored it already; its row is kept.
    INSERT INTO phaseline.requirement_statements (job_id, call_id, ordinal, entry_id, requirement_id, citation, is_new)
    VALUES (p_job_id, p_call_id, v_entry.ordinal, v_id, v_entry.value ->> 'id', v_entry.value -> 'citation', v_new)
    ON CONFLICT DO NOTHING;
  END LOOP;
  RETURN QUERY
    SELECT s.ordinal, c.id, s.is_new, c.requirement_id, c.status, c.written_by
    FROM phaseline.requirement_statements AS s JOIN phaseline.cached_requirements AS c ON c.id = s.entry_id
    WHERE s.job_id = p_job_id AND s.call_id = p_call_id ORDER BY s.ordinal;
END
$$;

-- Claims the oldest open entries for a call until their lease expires. A call that claims again receives what it already holds, with
-- a new lease. An entry whose claim has expired p_max_claims times is marked failed: something about it stops every claimer.
CREATE FUNCTION phaseline.claim_requirements(
  p_collection text, p_job_id uuid, p_call_id text, p_limit integer, p_lease interval, p_max_claims integer
) RETURNS SETOF phaseline.cached_requirements
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  v_now timestamptz;
BEGIN
  -- Two attempts of one call, of which one is considered dead, must not both claim entries.
  PERFORM pg_advisory_xact_lock(hashtextextended(p_job_id || '/' || p_call_id, 740615));
  v_now := clock_timestamp();
  RETURN QUERY
    UPDATE phaseline.cached_requirements AS c SET lease_expires_at = v_now + p_lease
    WHERE c.claimed_by = p_job_id AND c.claim_call = p_call_id AND c.status = 'claimed' AND c.lease_expires_at > v_now
      AND c.collection = p_collection
    RETURNING c.*;
  IF FOUND THEN
    RETURN;
  END IF;
  WITH exhausted AS (
    SELECT c.id FROM phaseline.cached_requirements AS c
    WHERE c.collection = p_collection AND c.status = 'claimed' AND c.lease_expires_at <= v_now AND c.token >= p_max_claims
    ORDER BY c.id LIMIT 100 FOR UPDATE SKIP LOCKED
  ), failed AS (
    UPDATE phaseline.cached_requirements AS c
    SET status = 'failed', lease_expires_at = NULL, ended_at = v_now, note = format('claimed %s times, and never finished', c.token)
    FROM exhausted WHERE c.id = exhausted.id RETURNING c.*
  )
  INSERT INTO phaseline.requirement_outcomes (job_id, call_id, entry_id, token, outcome, note)
  SELECT g.claimed_by, g.claim_call, g.id, g.token, 'expired', g.note FROM failed AS g ON CONFLICT DO NOTHING;
  RETURN QUERY
    WITH open AS (
      SELECT c.id FROM phaseline.cached_requirements AS c
      WHERE c.collection = p_collection
        AND (c.status = 'pending' OR (c.status = 'claimed' AND c.lease_expires_at <= v_now AND c.token < p_max_claims))
      ORDER BY c.id LIMIT p_limit FOR UPDATE SKIP LOCKED
    )
    UPDATE phaseline.cached_requirements AS c
    SET status = 'claimed', token = c.token + 1, claimed_by = p_job_id, claim_call = p_call_id, lease_expires_at = v_now + p_lease
    FROM open WHERE c.id = open.id
    RETURNING c.*;
END
$$;

-- Ends a claim, releases it (release) or extends it (renew). Returns the state of the entry, and whether the claim was accepted: not if
-- there is none, if its token is not the latest, or if its lease has expired. Repeating the same call is accepted.
CREATE FUNCTION phaseline.end_requirement_claim(
  p_collection text, p_job_id uuid, p_call_id text, p_entry bigint, p_token integer, p_outcome text, p_note text, p_lease interval
) RETURNS TABLE (accepted boolean, status text, token integer, lease_expires_at timestamptz)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  v_entry phaseline.cached_requirements;
  v_now   timestamptz;
BEGIN
  SELECT * INTO v_entry FROM phaseline.cached_requirements AS c
  WHERE c.id = p_entry AND c.collection = p_collection FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  v_now := clock_timestamp();
  IF EXISTS (SELECT FROM phaseline.requirement_outcomes AS o
             WHERE o.job_id = p_job_id AND o.call_id = p_call_id AND o.entry_id = p_entry AND o.token = p_token AND o.outcome <> 'expired') THEN
    RETURN QUERY SELECT true, v_entry.status, v_entry.token, v_entry.lease_expires_at;
    RETURN;
  END IF;
  IF v_entry.status <> 'claimed' OR v_entry.claimed_by <> p_job_id OR v_entry.token <> p_token OR v_entry.lease_expires_at <= v_now THEN
    RETURN QUERY SELECT false, v_entry.status, v_entry.token, v_entry.lease_expires_at;
    RETURN;
  END IF;
  IF p_outcome = 'renew' THEN
    UPDATE phaseline.cached_requirements AS c SET lease_expires_at = v_now + p_lease WHERE c.id = p_entry;
  ELSE
    UPDATE phaseline.cached_requirements AS c
    SET status = CASE p_outcome WHEN 'release' THEN 'pending' ELSE p_outcome END, lease_expires_at = NULL, note = p_note,
        ended_at = CASE p_outcome WHEN 'release' THEN NULL ELSE v_now END
    WHERE c.id = p_entry;
    INSERT INTO phaseline.requirement_outcomes (job_id, call_id, entry_id, token, outcome, note)
    VALUES (p_job_id, p_call_id, p_entry, p_token, p_outcome, p_note);
  END IF;
  RETURN QUERY SELECT true, c.status, c.token, c.lease_expires_at FROM phaseline.cached_requirements AS c WHERE c.id = p_entry;
END
$$;

REVOKE ALL ON FUNCTION phaseline.cache_requirements FROM PUBLIC;
REVOKE ALL ON FUNCTION phaseline.claim_requirements FROM PUBLIC;
REVOKE ALL ON FUNCTION phaseline.end_requirement_claim FROM PUBLIC;
GRANT EXECUTE ON FUNCTION phaseline.cache_requirements, phaseline.claim_requirements, phaseline.end_requirement_claim
  TO phaseline_service;
