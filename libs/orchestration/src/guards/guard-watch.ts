import type { PromotionBasis } from '@phaseline/contracts';
import {
  evolveGuard,
  findExceededLimit,
  findVersionInStage,
  NO_GUARD,
  type GuardOutcomes,
  type GuardVersion,
} from '@phaseline/domain';
import { queryRows } from '@phaseline/event-store';
import type pg from 'pg';
import type { GuardPlace, GuardRegistry } from './guard-registry.js';

/** A stored guard in production whose outcomes exceed a limit that its owner set. */
export interface GuardOverLimit extends GuardPlace {
  readonly number: number;
  readonly owner: string;
  /** ISO time since which the version is in production. */
  readonly since: string;
  readonly basis: PromotionBasis;
  /** Whether the owner has the system roll it back. */
  readonly automatic: boolean;
}

/** Principal that rolls guards back. It writes none, so the rule that an author cannot is kept. */
const GUARD_WATCH_ACTOR = 'guard-watch';

interface WatchedVersion extends GuardPlace {
  readonly version: GuardVersion;
  /** Position and ISO time of the event that took it to production. */
  readonly position: number;
  readonly since: string;
}

/**
 * Compares what happened since guards are in production with the limits of their owners. Only guards with limits are counted, from the events
 * since their promotion. Events of encrypted jobs do not show which guard they concern, and count for none.
 */
export class GuardWatch {
  constructor(
    private readonly pool: pg.Pool,
    private readonly registry: GuardRegistry,
  ) {}

  /** Lists the guards of these tenants, and of the installation, that exceed a limit. */
  async listExceeded(tenants: 'all' | readonly string[]): Promise<readonly GuardOverLimit[]> {
    const found: GuardOverLimit[] = [];
    for (const { tenant, name, production } of await this.registry.list(tenants)) {
      const watched = production && (await this.findWatched({ tenant, name }));
      if (!watched) continue;
      const { added } = watched.version;
      const basis = findExceededLimit(added.limits!, await this.count(watched));
      if (!basis) continue;
      const { number, owner, limits } = added;
      found.push({ tenant, name, number, owner, since: watched.since, basis, automatic: limits!.automatic });
    }
    return found;
  }

  /** Rolls back the guards that exceed a limit, where their owners want that. Returns them. */
  async rollBackExceeded(): Promise<readonly GuardOverLimit[]> {
    const rolledBack: GuardOverLimit[] = [];
    for (const exceeded of await this.listExceeded('all')) {
      if (!exceeded.automatic) continue;
      const { tenant, name, number, since, basis } = exceeded;
      const { isChanged } = await this.registry.rollBack(
        { tenant, name },
        { number, basis, reason: `${basis.figure} since it is in production (${since})` },
        { id: GUARD_WATCH_ACTOR, kind: 'process' },
      );
      if (isChanged) rolledBack.push(exceeded);
    }
    return rolledBack;
  }

  private async findWatched(place: GuardPlace): Promise<WatchedVersion | undefined> {
    const events = await this.registry.readEvents(place);
    const history = events.reduce((before, { event }) => evolveGuard(before, event), NO_GUARD);
    const version = findVersionInStage(history, 'production');
    if (!version?.added.limits) return undefined;
    const promoted = events.findLast(
      ({ event }) =>
        event.type === 'GuardStageChanged' &&
        event.data.to === 'production' &&
        event.data.number === version.added.number,
    );
    return promoted && { ...place, version, position: promoted.position, since: promoted.at };
  }

  /** Overrides are found by their learning traces, and denials only in jobs that failed, so that no query reads the log of all jobs. */
  private async count({ tenant, name, version, position, since }: WatchedVersion): Promise<GuardOutcomes> {
    const scope = tenant === undefined ? 'system' : 'tenant';
    const [row] = await queryRows<{ overrides: number; failed_jobs: number }>(this.pool, {
      text: `SELECT
          (SELECT count(*)::integer FROM phaseline.learning_traces AS t
           JOIN phaseline.events AS e ON e.event_id = t.id AND e.type = 'JobGuardOverridden'
           WHERE ($1::text IS NULL OR t.tenant = $1) AND t.position > $2 AND t.action = 'override_guard'
             AND e.data ->> 'guard' = $3 AND e.data ->> 'scope' = $4) AS overrides,
          (SELECT count(*)::integer FROM phaseline.jobs AS j
           WHERE ($1::text IS NULL OR j.tenant = $1) AND j.status = 'failed' AND j.ended_at >= $5
             AND EXISTS (SELECT FROM phaseline.events AS e
               WHERE e.correlation_id = j.job_id::text AND e.position > $2 AND e.type = 'GuardDecided'
                 AND e.data #>> '{guard,name}' = $3 AND e.data #>> '{guard,scope}' = $4
                 AND e.data #>> '{guard,version}' = $6 AND e.data #>> '{guard,stage}' = 'production'
                 AND e.data -> 'override' IS NULL)) AS failed_jobs`,
      values: [tenant ?? null, position, name, scope, since, version.added.version],
    });
    return { overrides: row!.overrides, failedJobs: row!.failed_jobs };
  }
}
