import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ReadModelQueries } from '@phaseline/projections';
import { Metrics, shareReads } from '@phaseline/service';

/** The counts have a row per job, so reading them takes longer the more jobs there were. */
const MAX_AGE_MS = 60_000;

/** How judges decided about claims, counted from the log: the share of objections is the veto rate. */
@Injectable()
export class JudgeGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly queries: ReadModelQueries,
  ) {}

  onModuleInit(): void {
    const read = shareReads(() => this.queries.judgements(), { maxAgeMs: MAX_AGE_MS });
    this.metrics.addGauge(
      'phaseline_judgements',
      'Claims that judges decided about, by tenant, judge and outcome: no-objection, objection or unreadable.',
      ['tenant', 'judge', 'outcome'],
      async () =>
        (await read()).map(({ tenant, name, outcome, count }) => ({
          labels: { tenant, judge: name, outcome },
          value: count,
        })),
    );
  }
}
