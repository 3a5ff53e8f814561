-- Admission: which jobs may run a phase. A phase is dispatched when its job holds a slot. The number of slots depends on the running
-- workers, a tenant's share on its limit, and the order on what the other tenants hold.

-- One row per job that holds a slot or waits for one. Derived: after a TRUNCATE it is filled again from the log
-- (libs/orchestration/src/admission/reconcile-slots.ts), so nothing else may be stored here.
-- The rows are rewritten all the time: a low fillfactor and an early vacuum keep the table small.
CREATE TABLE phaseline.slots (
  job_id       uuid PRIMARY KEY,
  phase        integer NOT NULL,
  kind         text COLLATE "C" NOT NULL,
  tenant       text COLLATE "C" NOT NULL,
  priority     integer NOT NULL,
  -- Place of the job in the line of its tenant. It is kept for later phases, so that started jobs come before new ones.
  queued_at    timestamptz NOT NULL,
  -- When the slot for this phase was requested.
  requested_at timestamptz NOT NULL,
  -- NULL while the job waits.
  granted_at   timestamptz
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX slots_waiting ON phaseline.slots (kind, tenant, priority, queued_at, job_id) WHERE granted_at IS NULL;
CREATE INDEX slots_granted ON phaseline.slots (kind) WHERE granted_at IS NOT NULL;

-- Number of slots of a kind that each tenant holds and waits for (maintained by a trigger), and when it was last granted one. Tenants
-- take turns in the order of tenant_turns_next, so the next one is found by one index lookup, however many wait.
CREATE TABLE phaseline.tenant_turns (
  tenant          text COLLATE "C" NOT NULL,
  kind            text COLLATE "C" NOT NULL,
  held            integer NOT NULL,
  waiting         integer NOT NULL,
  last_granted_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, kind)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX tenant_turns_next ON phaseline.tenant_turns (kind, held, last_granted_at, tenant) WHERE waiting > 0;

CREATE FUNCTION phaseline.count_slot() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    UPDATE phaseline.tenant_turns SET held = 0, waiting = 0 WHERE held > 0 OR waiting > 0;
    RETURN NULL;
  END IF;
  IF TG_OP = 'UPDATE' AND OLD.tenant = NEW.tenant AND OLD.kind = NEW.kind THEN
    UPDATE phaseline.tenant_turns AS t
    SET held = t.held - (OLD.granted_at IS NOT NULL)::integer + (NEW.granted_at IS NOT NULL)::integer,
        waiting = t.waiting - (OLD.granted_at IS NULL)::integer + (NEW.granted_at IS NULL)::integer,
        last_granted_at = greatest(t.last_granted_at, NEW.granted_at)
    WHERE t.tenant = NEW.tenant AND t.kind = NEW.kind;
    RETURN NULL;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    UPDATE phaseline.tenant_turns AS t
    SET held = t.held - (OLD.granted_at IS NOT NULL)::integer, waiting = t.waiting - (OLD.granted_at IS NULL)::integer
    WHERE t.tenant = OLD.tenant AND t.kind = OLD.kind;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO phaseline.tenant_turns AS t (tenant, kind, held, waiting, last_granted_at)
    VALUES (NEW.tenant, NEW.kind, (NEW.granted_at IS NOT NULL)::integer, (NEW.granted_at IS NULL)::integer,
            coalesce(NEW.granted_at, '-infinity'))
    ON CONFLICT (tenant, kind) DO UPDATE
    SET held = t.held + excluded.held, waiting = t.waiting + excluded.waiting,
        last_granted_at = greatest(t.last_granted_at, excluded.last_granted_at);
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER slots_are_counted AFTER INSERT OR UPDATE OR DELETE ON phaseline.slots
  FOR EACH ROW EXECUTE FUNCTION phaseline.count_slot();
CREATE TRIGGER slots_are_counted_after_truncate AFTER TRUNCATE ON phaseline.slots
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.count_slot();

-- Limits set by people at run time. The latest row of a tenant takes precedence over the configuration; if its max_phases is NULL,
-- the configuration applies again. Not derived: the table records who set which limit, and when.
CREATE TABLE phaseline.tenant_limits (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant     text COLLATE "C" NOT NULL,
  max_phases integer CHECK (max_phases >= 0),
  actor      text NOT NULL,
  set_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX tenant_limits_latest ON phaseline.tenant_limits (tenant, id);

-- p_settings of the functions below: {"window": n or null, "factor": n, "withoutWorkers": n, "limit": n or null, "limits": {tenant: n}}.

-- How many phases of a kind may run. A process without a heartbeat for 7 s is considered dead, as in libs/cluster.
-- Without any worker some phases are admitted nevertheless, so that a worker that starts finds work.
CREATE FUNCTION phaseline.slot_window(p_kind text, p_settings jsonb) RETURNS integer
LANGUAGE sql STABLE
RETURN coalesce(
  (p_settings ->> 'window')::integer,
  nullif(ceil((p_settings ->> 'factor')::float8 * (
    SELECT sum(p.slots) FROM phaseline.processes AS p
    WHERE p.service = p_kind || '-worker' AND p.heartbeat_at >= clock_timestamp() - interval '7 seconds'))::integer, 0),
  (p_settings ->> 'withoutWorkers')::integer);

-- How many phases of all kinds a tenant may run; NULL if only the window limits it.
CREATE FUNCTION phaseline.tenant_limit(p_tenant text, p_settings jsonb) RETURNS integer
LANGUAGE sql STABLE
RETURN coalesce(
  (SELECT l.max_phases FROM phaseline.tenant_limits AS l WHERE l.tenant = p_tenant ORDER BY l.id DESC LIMIT 1),
  (p_settings -> 'limits' ->> p_tenant)::integer,
  (p_settings ->> 'limit')::integer);

-- Grants all slots that are available, and returns one row per grant. Requires the lock that the callers below take.
--
-- The next slot goes to the tenant that holds the fewest slots of the kind; among equals, to the one that was granted one longest
-- ago. Within the tenant it goes to the lowest priority number, then to the job that was queued first. The last slot below the
-- limit of a tenant goes to the first job of its line over both kinds, so that started jobs do not wait for new ones.
-- At most 64 per call, so that the lock is held for milliseconds; a caller that receives 64 calls again.
CREATE FUNCTION phaseline.grant_slots(p_settings jsonb)
RETURNS TABLE (job_id uuid, phase integer, waited_ms float8)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
SET enable_sort = off
AS $$
#variable_conflict use_column
DECLARE
  c_kinds  CONSTANT text[] := ARRAY['strategic', 'tactical'];
  v_room   integer[] := ARRAY[0, 0];
  v_granted integer := 0;
  v_before integer := -1;
  v_tenant text;
  v_now    timestamptz;
BEGIN
  FOR k IN 1 .. 2 LOOP
    IF EXISTS (SELECT FROM phaseline.tenant_turns AS t WHERE t.kind = c_kinds[k] AND t.waiting > 0) THEN
      v_room[k] := phaseline.slot_window(c_kinds[k], p_settings)
        - (SELECT count(*) FROM phaseline.slots AS s WHERE s.kind = c_kinds[k] AND s.granted_at IS NOT NULL);
    END IF;
  END LOOP;

  WHILE v_granted > v_before AND v_granted < 64 LOOP
    v_before := v_granted;
    FOR k IN 1 .. 2 LOOP
      CONTINUE WHEN v_room[k] <= 0;
      SELECT t.tenant INTO v_tenant
      FROM phaseline.tenant_turns AS t
      LEFT JOIN phaseline.tenant_turns AS o ON o.tenant = t.tenant AND o.kind = c_kinds[3 - k]
      CROSS JOIN LATERAL (
        SELECT coalesce(phaseline.tenant_limit(t.tenant, p_settings), 2147483647) - t.held - coalesce(o.held, 0) AS room
        -- OFFSET 0: otherwise the limit would be computed again for each of the conditions below.
        OFFSET 0
      ) AS own
      WHERE t.kind = c_kinds[k] AND t.waiting > 0 AND own.room > 0
        AND (own.room > 1 OR v_room[3 - k] <= 0 OR NOT EXISTS (
          SELECT FROM phaseline.slots AS q
          WHERE q.kind = c_kinds[3 - k] AND q.granted_at IS NULL AND q.tenant = t.tenant
            AND (q.priority, q.queued_at, q.job_id) < (
              SELECT s.priority, s.queued_at, s.job_id FROM phaseline.slots AS s
              WHERE s.kind = c_kinds[k] AND s.granted_at IS NULL AND s.tenant = t.tenant
              ORDER BY s.priority, s.queued_at, s.job_id LIMIT 1)))
      ORDER BY t.held, t.last_granted_at, t.tenant
      LIMIT 1;
      CONTINUE WHEN NOT FOUND;

      v_now := clock_timestamp();
      UPDATE phaseline.slots AS g SET granted_at = v_now
      WHERE g.job_id = (SELECT s.job_id FROM phaseline.slots AS s
                        WHERE s.kind = c_kinds[k] AND s.granted_at IS NULL AND s.tenant = v_tenant
                        ORDER BY s.priority, s.queued_at, s.job_id LIMIT 1)
      RETURNING g.job_id, g.phase, extract(epoch FROM v_now - g.requested_at) * 1000 INTO job_id, phase, waited_ms;
      RETURN NEXT;
      v_room[k] := v_room[k] - 1;
      v_granted := v_granted + 1;
    END LOOP;
  END LOOP;
END
$$;

-- Serialises the decisions of all replicas. The lock is released with the transaction, which is one statement.
CREATE FUNCTION phaseline.lock_slots() RETURNS void
LANGUAGE sql
RETURN pg_advisory_xact_lock(7406318257);

-- Requests a slot for a phase. A slot that the job holds for an earlier phase is released in the same step: it may be granted to
-- this job again, or to another one. Returns the slots granted, to any job; a slot that this job already holds is returned with
-- waited_ms NULL.
CREATE FUNCTION phaseline.request_slot(
  p_job_id uuid, p_phase integer, p_kind text, p_tenant text, p_priority integer, p_settings jsonb
) RETURNS TABLE (job_id uuid, phase integer, waited_ms float8)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
SET plan_cache_mode = force_generic_plan
SET enable_seqscan = off
AS $$
#variable_conflict use_column
DECLARE
  v_phase   integer;
  v_granted timestamptz;
  v_now     timestamptz;
BEGIN
  PERFORM phaseline.lock_slots();
  v_now := clock_timestamp();
  SELECT s.phase, s.granted_at INTO v_phase, v_granted FROM phaseline.slots AS s WHERE s.job_id = p_job_id;
  -- A request for an earlier phase was decided on an outdated state of the job; the log rejects its append by the version.
  IF v_phase > p_phase OR (v_phase = p_phase AND v_granted IS NOT NULL) THEN
    job_id := p_job_id;
    phase := p_phase;
    RETURN NEXT;
    RETURN;
  END IF;
  IF v_phase IS NULL THEN
    INSERT INTO phaseline.slots (job_id, phase, kind, tenant, priority, queued_at, requested_at)
    VALUES (p_job_id, p_phase, p_kind, p_tenant, p_priority, v_now, v_now);
  ELSIF v_phase < p_phase THEN
    UPDATE phaseline.slots AS s
    SET phase = p_phase, kind = p_kind, tenant = p_tenant, priority = p_priority, requested_at = v_now, granted_at = NULL
    WHERE s.job_id = p_job_id;
  END IF;
  RETURN QUERY SELECT g.job_id, g.phase, g.waited_ms FROM phaseline.grant_slots(p_settings) AS g;
END
$$;

-- Removes a job, whether it holds a slot or waits, and returns the slots that this granted to others.
CREATE FUNCTION phaseline.release_slot(p_job_id uuid, p_settings jsonb)
RETURNS TABLE (job_id uuid, phase integer, waited_ms float8)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  PERFORM phaseline.lock_slots();
  DELETE FROM phaseline.slots AS s WHERE s.job_id = p_job_id;
  IF FOUND THEN
    RETURN QUERY SELECT g.job_id, g.phase, g.waited_ms FROM phaseline.grant_slots(p_settings) AS g;
  END IF;
END
$$;

-- Records that a phase is running, even beyond the number of slots: the log says so.
CREATE FUNCTION phaseline.record_running_slot(p_job_id uuid, p_phase integer, p_kind text, p_tenant text, p_priority integer) RETURNS void
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  v_now timestamptz;
BEGIN
  PERFORM phaseline.lock_slots();
  v_now := clock_timestamp();
  INSERT INTO phaseline.slots AS s (job_id, phase, kind, tenant, priority, queued_at, requested_at, granted_at)
  VALUES (p_job_id, p_phase, p_kind, p_tenant, p_priority, v_now, v_now, v_now)
  ON CONFLICT (job_id) DO UPDATE
  SET phase = excluded.phase, kind = excluded.kind, tenant = excluded.tenant, priority = excluded.priority, granted_at = v_now
  WHERE s.phase < excluded.phase OR (s.phase = excluded.phase AND s.granted_at IS NULL);
END
$$;

-- Grants the slots that are available now: a worker was started, or a limit was raised. Removes tenants without slots and requests
-- whose last grant was more than a day ago.
CREATE FUNCTION phaseline.grant_available_slots(p_settings jsonb)
RETURNS TABLE (job_id uuid, phase integer, waited_ms float8)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  PERFORM phaseline.lock_slots();
  DELETE FROM phaseline.tenant_turns AS t
  WHERE t.held = 0 AND t.waiting = 0 AND t.last_granted_at < clock_timestamp() - interval '1 day';
  RETURN QUERY SELECT g.job_id, g.phase, g.waited_ms FROM phaseline.grant_slots(p_settings) AS g;
END
$$;

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.slots, phaseline.tenant_turns TO phaseline_service;
GRANT SELECT, INSERT ON phaseline.tenant_limits TO phaseline_service;
