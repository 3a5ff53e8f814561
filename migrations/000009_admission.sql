-- Who may have a phase under way. A phase is dispatched when its job holds a slot; how many there are depends on the workers
-- that live, how many a tenant may hold on its limit, and whose turn it is on what the others hold.

-- One row a job that has a slot or waits for one. Derived: emptied, it is filled again from the log
-- (libs/orchestration/src/admission/reconcile-slots.ts), so nothing else may be kept here.
-- The rows are rewritten all the time: room on the page and an early vacuum keep them few.
CREATE TABLE phaseline.slots (
  job_id       uuid PRIMARY KEY,
  phase        integer NOT NULL,
  kind         text COLLATE "C" NOT NULL,
  tenant       text COLLATE "C" NOT NULL,
  priority     integer NOT NULL,
  -- The job's place in its tenant's line, kept from phase to phase: what has begun goes before what has not.
  queued_at    timestamptz NOT NULL,
  -- When this phase asked.
  requested_at timestamptz NOT NULL,
  -- Missing while it waits.
  granted_at   timestamptz
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

CREATE INDEX slots_waiting ON phaseline.slots (kind, tenant, priority, queued_at, job_id) WHERE granted_at IS NULL;
CREATE INDEX slots_granted ON phaseline.slots (kind) WHERE granted_at IS NOT NULL;

-- How many slots of a kind each tenant holds and waits for, kept by a trigger, and when it was last given one: in the order of
-- tenant_turns_next the tenants take turns. So whose turn it is takes one look into an index, however many wait.
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
CREATE TRIGGER slots_are_counted_anew AFTER TRUNCATE ON phaseline.slots
  FOR EACH STATEMENT EXECUTE FUNCTION phaseline.count_slot();

-- Limits set by people while the system runs; the latest one of a tenant counts and stands above the configuration, and one
-- without a number gives the word back to the configuration. Not derived: who set what, and when, stays.
CREATE TABLE phaseline.tenant_limits (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant     text COLLATE "C" NOT NULL,
  max_phases integer CHECK (max_phases >= 0),
  actor      text NOT NULL,
  set_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX tenant_limits_latest ON phaseline.tenant_limits (tenant, id);

-- Phases that a process works on side by side; 0 for those that work on none.
ALTER TABLE phaseline.processes ADD COLUMN slots integer NOT NULL DEFAULT 0;

-- p_settings, in all functions below: {"window": n or null, "factor": n, "withoutWorkers": n, "limit": n or null, "limits": {tenant: n}}.

-- How many phases of a kind may be under way. A process without a heartbeat for 7 s is taken for dead, as in libs/event-store.
-- While no worker is known there is room for some phases all the same, so that a worker that joins finds work.
CREATE FUNCTION phaseline.slot_window(p_kind text, p_settings jsonb) RETURNS integer
LANGUAGE sql STABLE
RETURN coalesce(
  (p_settings ->> 'window')::integer,
  nullif(ceil((p_settings ->> 'factor')::float8 * (
    SELECT sum(p.slots) FROM phaseline.processes AS p
    WHERE p.service = p_kind || '-worker' AND p.heartbeat_at >= clock_timestamp() - interval '7 seconds'))::integer, 0),
  (p_settings ->> 'withoutWorkers')::integer);

-- How many phases of all kinds a tenant may have under way; NULL when only the window bounds it.
CREATE FUNCTION phaseline.tenant_limit(p_tenant text, p_settings jsonb) RETURNS integer
LANGUAGE sql STABLE
RETURN coalesce(
  (SELECT l.max_phases FROM phaseline.tenant_limits AS l WHERE l.tenant = p_tenant ORDER BY l.id DESC LIMIT 1),
  (p_settings -> 'limits' ->> p_tenant)::integer,
  (p_settings ->> 'limit')::integer);

-- Gives out what there is room for and answers one row a slot given. Only under the lock that the callers below take.
--
-- The turn goes to the tenant that holds the fewest slots of the kind; of two that hold as many, to the one that was served
-- longer ago. Within the tenant, to the lowest priority number, then to the job that queued first; the last slot up to its
-- limit goes to the first of its line over both kinds, so that what has begun is not kept waiting by what has not.
-- At most 64 at once, so that the lock is held for milliseconds; whoever is told of 64 asks again.
CREATE FUNCTION phaseline.give_slots(p_settings jsonb)
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
  v_given  integer := 0;
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

  WHILE v_given > v_before AND v_given < 64 LOOP
    v_before := v_given;
    FOR k IN 1 .. 2 LOOP
      CONTINUE WHEN v_room[k] <= 0;
      SELECT t.tenant INTO v_tenant
      FROM phaseline.tenant_turns AS t
      LEFT JOIN phaseline.tenant_turns AS o ON o.tenant = t.tenant AND o.kind = c_kinds[3 - k]
      CROSS JOIN LATERAL (
        SELECT coalesce(phaseline.tenant_limit(t.tenant, p_settings), 2147483647) - t.held - coalesce(o.held, 0) AS room
        -- Or the limit would be asked for again for each of the conditions below.
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
      v_given := v_given + 1;
    END LOOP;
  END LOOP;
END
$$;

-- One decision at a time over all replicas. The lock goes with the transaction, which is this one statement.
CREATE FUNCTION phaseline.lock_slots() RETURNS void
LANGUAGE sql
RETURN pg_advisory_xact_lock(7406318257);

-- Asks for a slot for a phase. A slot that the job holds for an earlier phase is given back in the same breath: it may come
-- back to it at once, or be another's turn. Answers the slots given, to this job or others; to this job also when it has it
-- already, then with waited_ms NULL.
CREATE FUNCTION phaseline.ask_slot(
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
  -- Behind the row is only who decided by an older state of the job; the log refuses that by its version.
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
  RETURN QUERY SELECT g.job_id, g.phase, g.waited_ms FROM phaseline.give_slots(p_settings) AS g;
END
$$;

-- Takes a job out, whether it holds a slot or waits, and answers the slots that this gave to others.
CREATE FUNCTION phaseline.leave_slot(p_job_id uuid, p_settings jsonb)
RETURNS TABLE (job_id uuid, phase integer, waited_ms float8)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  PERFORM phaseline.lock_slots();
  DELETE FROM phaseline.slots AS s WHERE s.job_id = p_job_id;
  IF FOUND THEN
    RETURN QUERY SELECT g.job_id, g.phase, g.waited_ms FROM phaseline.give_slots(p_settings) AS g;
  END IF;
END
$$;

-- Notes that a phase is under way, whatever there is room for: the log says so.
CREATE FUNCTION phaseline.note_slot(p_job_id uuid, p_phase integer, p_kind text, p_tenant text, p_priority integer) RETURNS void
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

-- Gives out what there is room for now: a worker has joined, or a limit was raised. Tenants that have had nothing for a day are
-- forgotten.
CREATE FUNCTION phaseline.fill_slots(p_settings jsonb)
RETURNS TABLE (job_id uuid, phase integer, waited_ms float8)
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  PERFORM phaseline.lock_slots();
  DELETE FROM phaseline.tenant_turns AS t
  WHERE t.held = 0 AND t.waiting = 0 AND t.last_granted_at < clock_timestamp() - interval '1 day';
  RETURN QUERY SELECT g.job_id, g.phase, g.waited_ms FROM phaseline.give_slots(p_settings) AS g;
END
$$;

GRANT SELECT, INSERT, UPDATE, DELETE ON phaseline.slots, phaseline.tenant_turns TO phaseline_service;
GRANT SELECT, INSERT ON phaseline.tenant_limits TO phaseline_service;
