import { queryRows } from '@phaseline/event-store';
import type { JobId } from '@phaseline/contracts';
import type { Pool } from 'pg';
import type {
  Admission,
  AdmissionSettings,
  SlotGrant,
  Slot,
  SlotResponse,
  SlotRequest,
  SlotWait,
  TenantLoad,
  Tenants,
} from './admission.js';

export interface PostgresAdmissionOptions {
  readonly settings: AdmissionSettings;
  /** Called with every slot that was granted. */
  readonly onGranted?: (slot: SlotGrant) => void;
}

interface GrantRow {
  readonly job_id: JobId;
  readonly phase: number;
  readonly waited_ms: number | null;
}

/**
 * Keeps slots in a table. Functions of the database (migrations/000011_admission.sql) decide under one lock, so a
 * decision is one round trip and any number of orchestrators decide consistently.
 */
export class PostgresAdmission implements Admission, Tenants {
  private readonly settings: string;

  constructor(
    private readonly pool: Pool,
    private readonly options: PostgresAdmissionOptions,
  ) {
    const { window, tenantLimit = null, tenantLimits = {} } = options.settings;
    const bounds = typeof window === 'number' ? { window, factor: 1, withoutWorkers: 0 } : { window: null, ...window };
    this.settings = JSON.stringify({ ...bounds, limit: tenantLimit, limits: tenantLimits });
  }

  async requestSlot({ jobId, phase, kind, tenant, priority }: SlotRequest): Promise<SlotResponse> {
    const rows = await this.query<GrantRow>(
      'request_slot',
      'SELECT * FROM phaseline.request_slot($1, $2, $3, $4, $5, $6)',
      [jobId, phase, kind, tenant, priority, this.settings],
    );
    const grants = this.reportGrants(rows);
    return {
      isGranted: rows.some((row) => row.job_id === jobId),
      grantsToOthers: grants.filter((slot) => slot.jobId !== jobId),
    };
  }

  async releaseSlot(jobId: JobId): Promise<readonly SlotGrant[]> {
    return this.reportGrants(
      await this.query('release_slot', 'SELECT * FROM phaseline.release_slot($1, $2)', [jobId, this.settings]),
    );
  }

  async recordRunning({ jobId, phase, kind, tenant, priority }: SlotRequest): Promise<void> {
    const values = [jobId, phase, kind, tenant, priority];
    await this.query('record_running_slot', 'SELECT phaseline.record_running_slot($1, $2, $3, $4, $5)', values);
  }

  async grantAvailable(): Promise<readonly SlotGrant[]> {
    const all: SlotGrant[] = [];
    for (;;) {
      const rows = await this.query<GrantRow>(
        'grant_available_slots',
        'SELECT * FROM phaseline.grant_available_slots($1)',
        [this.settings],
      );
      all.push(...this.reportGrants(rows));
      if (rows.length < MAX_GRANTS_PER_CALL) return all;
    }
  }

  async listSlots(): Promise<readonly Slot[]> {
    const rows = await this.query<SlotRow>('slots', 'SELECT * FROM phaseline.slots ORDER BY queued_at, job_id', []);
    return rows.map((row) => ({
      jobId: row.job_id,
      phase: row.phase,
      kind: row.kind,
      tenant: row.tenant,
      priority: row.priority,
      requestedAt: row.requested_at.toISOString(),
      ...(row.granted_at ? { grantedAt: row.granted_at.toISOString() } : {}),
    }));
  }

  async listTenants(named: readonly string[] = []): Promise<readonly TenantLoad[]> {
    const rows = await this.query<TenantRow>('tenants', TENANTS_SQL, [this.settings, [...named]]);
    return rows.map(({ tenant, active, waiting, limit, actor, set_at, longest_wait_ms }) => ({
      tenant,
      active,
      waiting,
      ...(limit === null ? {} : { limit }),
      ...(actor === null || set_at === null ? {} : { setBy: { actor, at: set_at.toISOString() } }),
      ...(longest_wait_ms === null ? {} : { longestWaitMs: longest_wait_ms }),
    }));
  }

  async setLimit(
    tenant: string,
    { maxPhases, actor }: { readonly maxPhases: number | undefined; readonly actor: string },
  ): Promise<readonly SlotGrant[]> {
    await this.query(
      'set_tenant_limit',
      'INSERT INTO phaseline.tenant_limits (tenant, max_phases, actor) VALUES ($1, $2, $3)',
      [tenant, maxPhases ?? null, actor],
    );
    return this.grantAvailable();
  }

  async findWait(jobId: JobId): Promise<SlotWait | undefined> {
    const [row] = await this.query<WaitRow>('wait_of', WAIT_SQL, [jobId, this.settings]);
    if (!row) return undefined;
    return {
      tenant: row.tenant,
      since: row.requested_at.toISOString(),
      ahead: row.ahead,
      tenantActive: row.tenant_active,
      ...(row.tenant_limit === null ? {} : { tenantLimit: row.tenant_limit }),
      active: row.active,
      window: row.window,
    };
  }

  private reportGrants(rows: readonly GrantRow[]): SlotGrant[] {
    const grants = rows
      .filter((row) => row.waited_ms !== null)
      .map((row) => ({ jobId: row.job_id, phase: row.phase, waitedMs: row.waited_ms! }));
    for (const slot of grants) this.options.onGranted?.(slot);
    return grants;
  }

  private query<Row extends object>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    return queryRows(this.pool, { name: `admission_${name}`, text, values });
  }
}

/** Must equal the limit in phaseline.grant_slots. */
const MAX_GRANTS_PER_CALL = 64;

interface SlotRow {
  readonly job_id: JobId;
  readonly phase: number;
  readonly kind: Slot['kind'];
  readonly tenant: string;
  readonly priority: number;
  readonly requested_at: Date;
  readonly granted_at: Date | null;
}

interface TenantRow {
  readonly tenant: string;
  readonly active: number;
  readonly waiting: number;
  readonly limit: number | null;
  readonly actor: string | null;
  readonly set_at: Date | null;
  readonly longest_wait_ms: number | null;
}

interface WaitRow {
  readonly tenant: string;
  readonly requested_at: Date;
  readonly ahead: number;
  readonly tenant_active: number;
  readonly tenant_limit: number | null;
  readonly active: number;
  readonly window: number;
}

/** Selects every tenant that holds or waits for a slot, has its own limit, or is named. */
const TENANTS_SQL = `
  WITH load AS (
    SELECT tenant, (count(*) FILTER (WHERE granted_at IS NOT NULL))::int AS active,
           (count(*) FILTER (WHERE granted_at IS NULL))::int AS waiting,
           extract(epoch FROM clock_timestamp() - min(requested_at) FILTER (WHERE granted_at IS NULL))::float8 * 1000 AS longest_wait_ms
      FROM phaseline.slots GROUP BY tenant
  ), latest AS (
    SELECT DISTINCT ON (tenant) tenant, max_phases, actor, set_at FROM phaseline.tenant_limits ORDER BY tenant, id DESC
  ), named AS (
    SELECT tenant FROM load UNION SELECT tenant FROM latest UNION SELECT jsonb_object_keys($1::jsonb -> 'limits') COLLATE "C"
    UNION SELECT unnest($2::text[]) COLLATE "C"
  )
  SELECT n.tenant, coalesce(o.active, 0) AS active, coalesce(o.waiting, 0) AS waiting,
         phaseline.tenant_limit(n.tenant, $1) AS limit,
         CASE WHEN l.max_phases IS NOT NULL THEN l.actor END AS actor,
         CASE WHEN l.max_phases IS NOT NULL THEN l.set_at END AS set_at, o.longest_wait_ms
    FROM named AS n LEFT JOIN load AS o USING (tenant) LEFT JOIN latest AS l USING (tenant)
   ORDER BY n.tenant`;

const WAIT_SQL = `
  SELECT s.tenant, s.requested_at,
         (SELECT count(*)::int FROM phaseline.slots AS o
           WHERE o.kind = s.kind AND o.tenant = s.tenant AND o.granted_at IS NULL
             AND (o.priority, o.queued_at, o.job_id) < (s.priority, s.queued_at, s.job_id)) AS ahead,
         (SELECT count(*)::int FROM phaseline.slots AS o WHERE o.tenant = s.tenant AND o.granted_at IS NOT NULL) AS tenant_active,
         phaseline.tenant_limit(s.tenant, $2) AS tenant_limit,
         (SELECT count(*)::int FROM phaseline.slots AS o WHERE o.kind = s.kind AND o.granted_at IS NOT NULL) AS active,
         phaseline.slot_window(s.kind, $2) AS window
    FROM phaseline.slots AS s WHERE s.job_id = $1 AND s.granted_at IS NULL`;
