import type { JobId } from '@phaseline/contracts';
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
import type { Clock } from '../ports.js';

const KINDS = ['strategic', 'tactical'] as const;
type Kind = (typeof KINDS)[number];

interface Row extends SlotRequest {
  /** The job's place in its tenant's line, kept across phases. */
  readonly line: number;
  readonly requestedAt: number;
  readonly grantedAt: number | undefined;
}

interface TenantLine {
  readonly held: Record<Kind, number>;
  readonly first: Partial<Record<Kind, Row>>;
}

export interface MemoryAdmissionOptions {
  readonly clock: Clock;
  readonly settings: AdmissionSettings;
  /** Number of phases that the live workers of a kind can run; read at every decision. */
  readonly workers?: (kind: Kind) => number;
}

/**
 * Keeps slots in memory with the rules of `PostgresAdmission`; for runs in virtual time, and as a reference for the SQL.
 */
export class MemoryAdmission implements Admission, Tenants {
  private readonly rows = new Map<string, Row>();
  private readonly served = new Map<string, number>();
  private readonly limits = new Map<string, { maxPhases: number | undefined; actor: string; at: string }>();
  private ticks = 0;

  constructor(private readonly options: MemoryAdmissionOptions) {}

  async requestSlot(request: SlotRequest): Promise<SlotResponse> {
    const known = this.rows.get(request.jobId);
    if (known && (known.phase > request.phase || (known.phase === request.phase && known.grantedAt !== undefined)))
      return { isGranted: true, grantsToOthers: [] };
    if (!known || known.phase < request.phase) {
      const line = known?.line ?? (this.ticks += 1);
      this.rows.set(request.jobId, { ...request, line, requestedAt: this.now(), grantedAt: undefined });
    }
    const grants = this.grantFreeSlots();
    const others = grants.filter(({ jobId }) => jobId !== request.jobId);
    return { isGranted: others.length < grants.length, grantsToOthers: others };
  }

  async releaseSlot(jobId: JobId): Promise<readonly SlotGrant[]> {
    return this.rows.delete(jobId) ? this.grantFreeSlots() : [];
  }

  async recordRunning(request: SlotRequest): Promise<void> {
    const known = this.rows.get(request.jobId);
    if (known && (known.phase > request.phase || (known.phase === request.phase && known.grantedAt !== undefined)))
      return;
    const now = this.now();
    const line = known?.line ?? (this.ticks += 1);
    this.rows.set(request.jobId, { ...request, line, requestedAt: known?.requestedAt ?? now, grantedAt: now });
    this.served.set(`${request.kind} ${request.tenant}`, (this.ticks += 1));
  }

  async grantAvailable(): Promise<readonly SlotGrant[]> {
    return this.grantFreeSlots();
  }

  async listSlots(): Promise<readonly Slot[]> {
    return [...this.rows.values()].map(toSlot);
  }

  async listTenants(named: readonly string[] = []): Promise<readonly TenantLoad[]> {
    const rows = [...this.rows.values()];
    const { tenantLimits = {} } = this.options.settings;
    const limited = [...this.limits.keys(), ...Object.keys(tenantLimits)];
    const names = new Set([...rows.map(({ tenant }) => tenant), ...limited, ...named]);
    return [...names].sort(compareBytes).map((tenant) => {
      const own = rows.filter((row) => row.tenant === tenant);
      const waiting = own.filter(({ grantedAt }) => grantedAt === undefined);
      const limit = this.limitOf(tenant);
      const set = this.limits.get(tenant);
      return {
        tenant,
        active: own.length - waiting.length,
        waiting: waiting.length,
        ...(limit === Infinity ? {} : { limit }),
        ...(set?.maxPhases === undefined ? {} : { setBy: { actor: set.actor, at: set.at } }),
        ...(waiting.length === 0
          ? {}
          : { longestWaitMs: this.now() - Math.min(...waiting.map(({ requestedAt }) => requestedAt)) }),
      };
    });
  }

  async setLimit(
    tenant: string,
    { maxPhases, actor }: { readonly maxPhases: number | undefined; readonly actor: string },
  ): Promise<readonly SlotGrant[]> {
    this.limits.set(tenant, { maxPhases, actor, at: this.options.clock.now().toISOString() });
    return this.grantFreeSlots();
  }

  async findWait(jobId: JobId): Promise<SlotWait | undefined> {
    const row = this.rows.get(jobId);
    if (!row || row.grantedAt !== undefined) return undefined;
    const rows = [...this.rows.values()];
    const limit = this.limitOf(row.tenant);
    return {
      tenant: row.tenant,
      since: new Date(row.requestedAt).toISOString(),
      ahead: rows.filter(
        (other) =>
          other.grantedAt === undefined &&
          other.kind === row.kind &&
          other.tenant === row.tenant &&
          compareInLine(other, row) < 0,
      ).length,
      tenantActive: rows.filter(({ tenant, grantedAt }) => tenant === row.tenant && grantedAt !== undefined).length,
      ...(limit === Infinity ? {} : { tenantLimit: limit }),
      active: rows.filter(({ kind, grantedAt }) => kind === row.kind && grantedAt !== undefined).length,
      window: this.windowOf(row.kind),
    };
  }

  private grantFreeSlots(): SlotGrant[] {
    const grants: SlotGrant[] = [];
    for (let grantsBefore = -1; grants.length > grantsBefore;) {
      grantsBefore = grants.length;
      for (const kind of KINDS) {
        const next = this.nextInLine(kind);
        if (!next) continue;
        const now = this.now();
        this.rows.set(next.jobId, { ...next, grantedAt: now });
        this.served.set(`${kind} ${next.tenant}`, (this.ticks += 1));
        grants.push({ jobId: next.jobId, phase: next.phase, waitedMs: now - next.requestedAt });
      }
    }
    return grants;
  }

  /** Returns the row whose turn it is, if a slot is free for it. */
  private nextInLine(kind: Kind): Row | undefined {
    const lines = new Map<string, TenantLine>();
    const held = { strategic: 0, tactical: 0 };
    for (const row of this.rows.values()) {
      const line = lines.get(row.tenant) ?? { held: { strategic: 0, tactical: 0 }, first: {} };
      lines.set(row.tenant, line);
      const first = line.first[row.kind];
      if (row.grantedAt !== undefined) {
        line.held[row.kind] += 1;
        held[row.kind] += 1;
      } else if (!first || compareInLine(row, first) < 0) line.first[row.kind] = row;
    }
    if (held[kind] >= this.windowOf(kind)) return undefined;
    const otherKind = kind === 'strategic' ? 'tactical' : 'strategic';
    const otherHasRoom = held[otherKind] < this.windowOf(otherKind);
    const turns = [...lines].flatMap(([tenant, line]) => {
      const first = line.first[kind];
      const other = otherHasRoom ? line.first[otherKind] : undefined;
      const room = this.limitOf(tenant) - line.held.strategic - line.held.tactical;
      if (!first || room <= 0) return [];
      // The last slot below the limit goes to the first in the tenant's line, of either kind.
      if (room === 1 && other && compareInLine(other, first) < 0) return [];
      return [{ first, heldOfKind: line.held[kind], served: this.served.get(`${kind} ${tenant}`) ?? 0 }];
    });
    turns.sort(
      (a, b) => a.heldOfKind - b.heldOfKind || a.served - b.served || compareBytes(a.first.tenant, b.first.tenant),
    );
    return turns[0]?.first;
  }

  private windowOf(kind: Kind): number {
    const { window } = this.options.settings;
    if (typeof window === 'number') return window;
    return Math.ceil(window.factor * (this.options.workers?.(kind) ?? 0)) || window.withoutWorkers;
  }

  private limitOf(tenant: string): number {
    const { tenantLimit, tenantLimits } = this.options.settings;
    return this.limits.get(tenant)?.maxPhases ?? tenantLimits?.[tenant] ?? tenantLimit ?? Infinity;
  }

  private now(): number {
    return this.options.clock.now().getTime();
  }
}

function compareInLine(a: Row, b: Row): number {
  return a.priority - b.priority || a.line - b.line;
}

function compareBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function toSlot({ line: _line, requestedAt, grantedAt, ...request }: Row): Slot {
  return {
    ...request,
    requestedAt: new Date(requestedAt).toISOString(),
    ...(grantedAt === undefined ? {} : { grantedAt: new Date(grantedAt).toISOString() }),
  };
}
