import { Injectable } from '@nestjs/common';
import { DatabaseClock, ProcessRegistry, Quarantine } from '@phaseline/cluster';
import { hasRight, hasRightSomewhere, includesTenant, listTenantsWithRight, type Caller } from '@phaseline/identity';
import { GuardWatch, PostgresAdmission, type GuardOverLimit } from '@phaseline/orchestration';
import { findBehindJobs, Inbox, readProjectionLag } from '@phaseline/projections';
import { InjectConfig, InjectPool } from '@phaseline/service';
import type { Pool } from 'pg';
import { JobTenants } from '../access/job-tenants.js';
import { AnchorLoop } from '../audit/anchor-loop.js';
import { readUnanchoredAge } from '../audit/read-unanchored-age.js';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { QueueReader } from '../queues/queue-reader.js';
import type {
  AlertFacts,
  AnchorFacts,
  FailedCheck,
  ProjectionFacts,
  QuarantinedJob,
  WaitingEntry,
} from './alert-facts.js';

/** Maximum number of jobs of each kind that are read. */
const MAX_JOBS = 50;

/** Reads what alerts are made of, as far as the caller may see it. Nothing is read or computed between requests. */
@Injectable()
export class AlertFactsReader {
  constructor(
    private readonly queues: QueueReader,
    private readonly processes: ProcessRegistry,
    private readonly quarantine: Quarantine,
    private readonly inbox: Inbox,
    private readonly admission: PostgresAdmission,
    private readonly tenants: JobTenants,
    private readonly anchorLoop: AnchorLoop,
    private readonly guards: GuardWatch,
    private readonly clock: DatabaseClock,
    @InjectConfig() private readonly config: OrchestratorConfig,
    @InjectPool() private readonly pool: Pool,
  ) {}

  /** `caller` needs the right `processes:read` in any tenant. */
  async read(caller: Caller): Promise<AlertFacts> {
    const [system, quarantined, waiting, guards, loads] = await Promise.all([
      hasRightSomewhere(caller, 'queues:read') ? this.readSystem() : this.readProcesses(),
      this.readQuarantined(caller),
      this.readWaiting(caller),
      this.readGuards(caller),
      this.admission.listTenants(),
    ]);
    const readable = listTenantsWithRight(caller, 'tenants:read');
    return {
      now: this.clock.now().getTime(),
      ...system,
      quarantined,
      waiting,
      guards,
      tenants: loads.filter(({ tenant }) => includesTenant(readable, tenant)),
    };
  }

  private async readProcesses() {
    return { queues: [], deadLetters: {}, failures: [], processes: await this.processes.listReports() };
  }

  /** Reads what tenants share. What cannot be read is an alert itself, because the others are needed most then. */
  private async readSystem() {
    const failures: FailedCheck[] = [];
    const tryRead = <T>(name: FailedCheck['name'], read: () => Promise<T>): Promise<T | undefined> =>
      read().catch((error: unknown) => {
        failures.push({ name, message: error instanceof Error ? error.message : String(error) });
        return undefined;
      });
    const [queues, projection, anchors] = await Promise.all([
      tryRead('queues', () => this.queues.read()),
      tryRead('read models', () => this.readProjection()),
      tryRead('anchors', () => this.readAnchors()),
    ]);
    return {
      queues: queues?.depths.queues ?? [],
      deadLetters: queues?.deadLetters ?? {},
      processes: queues?.processes ?? (await this.processes.listReports()),
      ...{ projection, anchors, failures },
    };
  }

  private async readProjection(): Promise<ProjectionFacts> {
    const [{ lagSeconds }, behind] = await Promise.all([readProjectionLag(this.pool), findBehindJobs(this.pool)]);
    return { lagSeconds, unreadableJobs: behind.size };
  }

  /** The log is not anchored without a key. */
  private async readAnchors(): Promise<AnchorFacts | undefined> {
    if (this.config.PHASELINE_AUDIT_KEY_FILE === undefined) return undefined;
    return {
      intervalMs: this.config.PHASELINE_AUDIT_ANCHOR_INTERVAL_MS,
      unanchoredMs: (await readUnanchoredAge(this.pool)) * 1_000,
      failure: this.anchorLoop.failure,
    };
  }

  /** One entry per job, of its stream that was quarantined first. */
  private async readQuarantined(caller: Caller): Promise<QuarantinedJob[]> {
    const jobs = new Map<string, QuarantinedJob>();
    for (const { correlationId, ...entry } of await this.quarantine.list({ isQuarantined: true })) {
      if (jobs.size >= MAX_JOBS) break;
      if (jobs.has(correlationId)) continue;
      const tenant = await this.tenants.find(correlationId);
      if (tenant === undefined || !hasRight(caller, 'jobs:read', tenant)) continue;
      const { reason, failures, quarantinedAt = entry.firstAt } = entry;
      jobs.set(correlationId, { jobId: correlationId, reason, failures, since: quarantinedAt });
    }
    return [...jobs.values()];
  }

  /** What guards of the installation did concerns all tenants. */
  private async readGuards(caller: Caller): Promise<readonly GuardOverLimit[]> {
    const tenants = listTenantsWithRight(caller, 'guards:read');
    const exceeded = await this.guards.listExceeded(tenants);
    return exceeded.filter(({ tenant }) => tenant !== undefined || tenants === 'all');
  }

  /** Reads each kind apart: a job that ended as blocked stays in the inbox, and must not hide those that wait. */
  private async readWaiting(caller: Caller): Promise<WaitingEntry[]> {
    const tenants = listTenantsWithRight(caller, 'inbox:read');
    const kinds: readonly WaitingEntry['kind'][] = ['approval', 'question', 'blocked-todo'];
    const lists = kinds.map(async (kind) =>
      (await this.inbox.list({ tenants, kind, after: 0, limit: MAX_JOBS })).map(({ jobId, askedAt }) => ({
        jobId,
        kind,
        askedAt,
      })),
    );
    return (await Promise.all(lists)).flat();
  }
}
