import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectPool, Metrics, shareReads } from '@phaseline/service';
import type { Pool } from 'pg';

/** Kinds of entries of the inbox. */
const KINDS = ['approval', 'question', 'blocked-todo', 'blocked-job'] as const;

interface WaitingCount {
  readonly kind: (typeof KINDS)[number];
  readonly count: number;
  /** Age of the oldest entry. */
  readonly seconds: number;
}

/** The conditions are those of the inbox; the first one is that of a partial index. */
const WAITING_SQL = `SELECT kind, count(*)::float8 AS count,
    greatest(0, extract(epoch FROM clock_timestamp() - min(since)))::float8 AS seconds
  FROM (
    SELECT w.kind, w.since FROM phaseline.jobs AS j CROSS JOIN LATERAL (
      SELECT 'approval' AS kind, (call ->> 'askedAt')::timestamptz AS since FROM jsonb_array_elements(j.awaiting_approval) AS call
      UNION ALL SELECT 'question', (call ->> 'askedAt')::timestamptz FROM jsonb_array_elements(j.awaiting_answer) AS call
      UNION ALL SELECT 'blocked-todo', (todo ->> 'blockedAt')::timestamptz FROM jsonb_array_elements(j.blocked_todos) AS todo
    ) AS w
    WHERE (j.awaiting_approval <> '[]' OR j.awaiting_answer <> '[]' OR j.blocked_todos <> '[]')
      AND j.ended_at IS NULL AND j.status <> 'cancelling'
    UNION ALL SELECT 'blocked-job', j.ended_at FROM phaseline.jobs AS j WHERE j.status = 'blocked'
  ) AS waiting
  GROUP BY kind`;

/** Gauges of what waits for a person, over all tenants. */
@Injectable()
export class WaitingGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    @InjectPool() private readonly pool: Pool,
  ) {}

  onModuleInit(): void {
    const read = shareReads(async () => {
      const { rows } = await this.pool.query<WaitingCount>(WAITING_SQL);
      return KINDS.map((kind) => rows.find((row) => row.kind === kind) ?? { kind, count: 0, seconds: 0 });
    });
    this.metrics.addGauge(
      'phaseline_waiting_for_person',
      'Entries of the inbox, by kind: approval, question, blocked-todo or blocked-job.',
      ['kind'],
      async () => (await read()).map(({ kind, count }) => ({ labels: { kind }, value: count })),
    );
    this.metrics.addGauge(
      'phaseline_waiting_for_person_oldest_age_seconds',
      'Age of the oldest entry of the inbox, by kind; 0 when there is none.',
      ['kind'],
      async () => (await read()).map(({ kind, seconds }) => ({ labels: { kind }, value: seconds })),
    );
  }
}
