import type { Spending } from '@phaseline/domain';
import { isEnded, jobStatuses, type JobId } from '@phaseline/contracts';
import type { Queryable } from '@phaseline/event-store';
import type { PhaseRow } from '../models/phases.js';
import type { DueQueue } from '../models/queue-depth.js';
import { spendingColumns, type SpendingRow } from '../models/spending-row.js';
import type { ToolCallRow } from '../models/tool-calls.js';
import { selectTime } from '../jobs/job-rows.js';

type CostGrouping = 'agent' | 'model' | 'day' | 'tenant' | 'job';

export interface CostQuery {
  readonly by: CostGrouping;
  /** First and last day, YYYY-MM-DD in UTC. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** Only jobs of these tenants. */
  readonly tenants?: readonly string[] | undefined;
  readonly limit: number;
}

export interface QueueMinute {
  readonly queue: DueQueue;
  readonly minute: string;
  readonly added: number;
  readonly removed: number;
  /** Work due at the end of the minute. */
  readonly depth: number;
}

/** Work that became due and was done since a minute began, by queue. */
interface QueueFlow {
  /** Begin of the first minute, and the present time, in epoch milliseconds by the clock of the database. */
  readonly from: number;
  readonly to: number;
  /** Queues without a change are omitted. */
  readonly queues: readonly Pick<QueueMinute, 'queue' | 'added' | 'removed'>[];
}

const OPEN_STATUSES = jobStatuses.filter((status) => !isEnded(status));
const SUMS_SQL = spendingColumns.map((column) => `coalesce(sum(${column}), 0)::float8 AS ${column}`).join(', ');
const COSTS_SQL = `($1::date IS NULL OR day >= $1::date) AND ($2::date IS NULL OR day <= $2::date)
  AND ($3::text[] IS NULL OR tenant = ANY ($3))`;
const GROUP_COLUMNS: Readonly<Record<CostGrouping, string>> = {
  agent: 'agent',
  model: 'model',
  tenant: 'tenant',
  job: 'job_id::text',
  day: `to_char(day, 'YYYY-MM-DD')`,
};

/** Queries the read models other than that of jobs. Results may be a few milliseconds behind the log. */
export class ReadModelQueries {
  constructor(private readonly database: Queryable) {}

  /** Returns the phases of a job, in order. */
  async phases(jobId: JobId): Promise<readonly PhaseRow[]> {
    const { rows } = await this.database.query<PhaseRow>(
      `SELECT job_id, phase, attempt, kind, state, name, model, status, outcome, todos_done, todos_total, rejections,
         takeovers, ${spendingColumns.map((column) => `${column}::float8 AS ${column}`).join(', ')},
         ${selectTime('started_at')}, ${selectTime('ended_at')}
       FROM phaseline.phases WHERE job_id = $1 ORDER BY phase`,
      [jobId],
    );
    return rows;
  }

  /** Returns a page of a job's tool calls, in the order of their requests. */
  async toolCalls(query: {
    readonly jobId: JobId;
    readonly phase?: number | undefined;
    /** Position of the last call on the previous page. */
    readonly after: number;
    readonly limit: number;
  }): Promise<readonly ToolCallRow[]> {
    const { rows } = await this.database.query<ToolCallRow>(
      `SELECT job_id, phase, call_id, position::float8 AS position, step, name, lane, effect, status, code, result, attempts,
         duration_ms::float8 AS duration_ms, ${selectTime('requested_at')}, ${selectTime('started_at')}, ${selectTime('ended_at')}
       FROM phaseline.tool_calls AS t
       WHERE t.job_id = $1 AND ($2::integer IS NULL OR t.phase = $2) AND t.position > $3
       ORDER BY t.position LIMIT $4`,
      [query.jobId, query.phase ?? null, query.after, query.limit],
    );
    return rows;
  }

  /** Returns usage and cost per group, the most expensive first, days in calendar order. */
  async costs({ by, from, to, tenants, limit }: CostQuery): Promise<{
    readonly groups: readonly (Spending & { readonly key: string })[];
    readonly total: Spending;
  }> {
    const [groups, total] = await Promise.all([
      this.database.query<SpendingRow & { key: string }>(
        `SELECT ${GROUP_COLUMNS[by]} AS key, ${SUMS_SQL} FROM phaseline.costs WHERE ${COSTS_SQL}
         GROUP BY 1 ORDER BY ${by === 'day' ? '1' : 'sum(cost_micro_usd) DESC, 1'} LIMIT $4`,
        [from ?? null, to ?? null, tenants ?? null, limit],
      ),
      this.database.query<SpendingRow>(`SELECT ${SUMS_SQL} FROM phaseline.costs WHERE ${COSTS_SQL}`, [
        from ?? null,
        to ?? null,
        tenants ?? null,
      ]),
    ]);
    return {
      groups: groups.rows.map((row) => ({ key: row.key, ...spentOf(row) })),
      total: spentOf(total.rows[0]!),
    };
  }

  /** Counts what a guard decided, by version and outcome; at most 200 rows, the largest counts first. */
  async guardDecisions({ name, scope, tenants }: GuardDecisionQuery): Promise<readonly DecisionCount[]> {
    const { rows } = await this.database.query<DecisionCount>(
      `SELECT version, outcome, sum(count)::float8 AS count FROM phaseline.decisions
       WHERE kind = 'guard' AND name = $1 AND scope = $2 AND ($3::text[] IS NULL OR tenant = ANY ($3))
       GROUP BY version, outcome ORDER BY sum(count) DESC, version, outcome LIMIT 200`,
      [name, scope, tenants ?? null],
    );
    return rows;
  }

  /** Counts how judges decided, by tenant, judge and outcome. */
  async judgements(): Promise<readonly JudgementCount[]> {
    const { rows } = await this.database.query<JudgementCount>(
      `SELECT tenant, name, outcome, sum(count)::float8 AS count FROM phaseline.decisions
       WHERE kind = 'judge' GROUP BY tenant, name, outcome ORDER BY tenant, name, outcome LIMIT 1000`,
      [],
    );
    return rows;
  }

  /** Returns the work that became due and was done in the current minute and the `minutes` - 1 before it. Reads only these minutes. */
  async queueFlow(minutes: number): Promise<QueueFlow> {
    const { rows } = await this.database.query<QueueFlowRow>(
      `SELECT extract(epoch FROM t.start)::float8 * 1000 AS start, extract(epoch FROM now())::float8 * 1000 AS present,
         f.queue, f.added, f.removed
       FROM (SELECT date_trunc('minute', now()) - ($1::integer - 1) * interval '1 minute' AS start) AS t
       LEFT JOIN (
         SELECT queue, sum(due)::float8 AS added, sum(done)::float8 AS removed FROM phaseline.queue_depth
         WHERE minute >= date_trunc('minute', now()) - ($1::integer - 1) * interval '1 minute' GROUP BY queue
       ) AS f ON true`,
      [minutes],
    );
    const { start, present } = rows[0]!;
    return {
      from: start,
      to: present,
      queues: rows.flatMap(({ queue, added, removed }) =>
        queue === null ? [] : [{ queue, added: added ?? 0, removed: removed ?? 0 }],
      ),
    };
  }

  /**
   * Returns the work due on each queue over the last minutes; minutes without a change are omitted. Reads only these minutes and the rows
   * of jobs that have not ended, because a job that has ended has no work due.
   */
  async queueHistory(minutes: number): Promise<readonly QueueMinute[]> {
    const { rows } = await this.database.query<QueueMinute>(
      `WITH first AS (SELECT date_trunc('minute', now()) - ($1::integer - 1) * interval '1 minute' AS minute),
       changed AS (
         SELECT queue, minute, sum(due) AS added, sum(done) AS removed FROM phaseline.queue_depth
         WHERE minute >= date_trunc('minute', now()) - ($1::integer - 1) * interval '1 minute' GROUP BY queue, minute
       ),
       present AS (
         SELECT d.queue, sum(d.due - d.done) AS depth
         FROM phaseline.jobs AS j JOIN phaseline.queue_depth AS d ON d.job_id = j.job_id
         WHERE j.status = ANY ($2::text[]) GROUP BY d.queue
       ),
       counted AS (
         SELECT queue, minute, added, removed, added - removed AS change FROM changed
         UNION ALL
         -- What was due before the first minute is what is due now without the changes since then.
         SELECT queue, (SELECT minute FROM first) - interval '1 minute', 0, 0, sum(depth)
         FROM (SELECT queue, depth FROM present UNION ALL SELECT queue, removed - added FROM changed) AS before GROUP BY queue
       )
       SELECT queue, to_char(minute AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS minute,
         added::float8 AS added, removed::float8 AS removed,
         (sum(change) OVER (PARTITION BY queue ORDER BY counted.minute))::float8 AS depth
       FROM counted ORDER BY queue, counted.minute`,
      [minutes, OPEN_STATUSES],
    );
    return rows;
  }
}

interface QueueFlowRow {
  readonly start: number;
  readonly present: number;
  readonly queue: DueQueue | null;
  readonly added: number | null;
  readonly removed: number | null;
}

interface GuardDecisionQuery {
  readonly name: string;
  readonly scope: string;
  /** Only jobs of these tenants; absent for all. */
  readonly tenants?: readonly string[] | undefined;
}

interface DecisionCount {
  readonly version: string;
  readonly outcome: string;
  readonly count: number;
}

interface JudgementCount {
  readonly tenant: string;
  readonly name: string;
  readonly outcome: string;
  readonly count: number;
}

function spentOf(row: SpendingRow): Spending {
  return {
    steps: row.steps,
    inputTokens: row.input_tokens,
    cachedInputTokens: row.cached_input_tokens,
    outputTokens: row.output_tokens,
    costMicroUsd: row.cost_micro_usd,
  };
}
