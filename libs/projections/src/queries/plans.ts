import type { JsonObject } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import type { Queryable } from '@phaseline/event-store';

export interface PlanFilter {
  /** The tenants whose plans are returned. */
  readonly tenants: 'all' | readonly string[];
  readonly user?: string | undefined;
  readonly goalId?: string | undefined;
  /** Whether only plans are returned that are neither approved nor aborted. */
  readonly isOpen?: boolean;
  readonly planningStatus?: string | undefined;
  readonly patternType?: string | undefined;
  /** Only plans submitted before this position. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface PlanListEntry {
  readonly planId: JobId;
  readonly position: number;
  readonly tenant: string;
  readonly user: string | null;
  readonly goalId: string | null;
  readonly goal: string | null;
  readonly planningStatus: string;
  readonly stage: string;
  readonly patternType: string | null;
  readonly patternSubtype: string | null;
  readonly patternVariant: string | null;
  readonly approvedAt: string | null;
  readonly changedAt: string;
}

/** A pattern that a person of a tenant approved. */
export interface ApprovedPattern {
  readonly key: string;
  /** The grammar of a new top-level pattern. */
  readonly definition: JsonObject | null;
}

/** SQL of a time in the format of the log. */
const formatTime = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Reads the read models of plans. Results may be a few milliseconds behind the log. */
export class Plans {
  constructor(private readonly database: Queryable) {}

  /** Returns a page of plans, newest first. */
  async list(filter: PlanFilter): Promise<readonly PlanListEntry[]> {
    const { tenants, user = null, goalId = null, isOpen = false, limit } = filter;
    const { planningStatus = null, patternType = null, before = null } = filter;
    const { rows } = await this.database.query<PlanListEntry>(
      `SELECT job_id AS "planId", submitted_position::float8 AS position, tenant, user_name AS "user",
         goal_id AS "goalId", goal, planning_status AS "planningStatus", stage, pattern_type AS "patternType",
         pattern_subtype AS "patternSubtype", pattern_variant AS "patternVariant",
         ${formatTime('approved_at')} AS "approvedAt", ${formatTime('changed_at')} AS "changedAt"
       FROM phaseline.plans
       WHERE ($1::text[] IS NULL OR tenant = ANY ($1)) AND ($2::text IS NULL OR goal_id = $2)
         AND ($3::text IS NULL OR planning_status = $3) AND ($4::text IS NULL OR pattern_type = $4)
         AND ($5::bigint IS NULL OR submitted_position < $5)
         AND ($6::text IS NULL OR user_name = $6) AND (NOT $7 OR planning_status NOT IN ('complete', 'aborted'))
       ORDER BY submitted_position DESC LIMIT $8`,
      [tenants === 'all' ? null : [...tenants], goalId, planningStatus, patternType, before, user, isOpen, limit],
    );
    return rows;
  }

  /** Returns the plan of a person for a goal that was approved last. Only plans of the tenant count. */
  async findApproved(owner: {
    readonly tenant: string;
    readonly user: string;
    readonly goalId: string;
  }): Promise<JobId | undefined> {
    const { rows } = await this.database.query<{ readonly planId: JobId }>(
      `SELECT job_id AS "planId" FROM phaseline.plans
       WHERE tenant = $1 AND goal_id = $2 AND user_name = $3 AND planning_status = 'complete'
       ORDER BY approved_at DESC, submitted_position DESC LIMIT 1`,
      [owner.tenant, owner.goalId, owner.user],
    );
    return rows[0]?.planId;
  }

  /** Returns the approved patterns of a tenant, each once, those approved last first. */
  async listApprovedPatterns(tenant: string, limit: number): Promise<readonly ApprovedPattern[]> {
    const { rows } = await this.database.query<ApprovedPattern>(
      `SELECT key, definition FROM (
         SELECT DISTINCT ON (key) key, definition, decided_at FROM phaseline.pattern_decisions
         WHERE tenant = $1 ORDER BY key, decided_at DESC
       ) AS latest ORDER BY decided_at DESC, key LIMIT $2`,
      [tenant, limit],
    );
    return rows;
  }
}
