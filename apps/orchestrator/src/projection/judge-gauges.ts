import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ReadModelQueries } from '@phaseline/projections';
import { Metrics } from '@phaseline/service';

/** How judges decided about claims, counted from the log: the share of objections is the veto rate. */
@Injectable()
export class JudgeGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly queries: ReadModelQueries,
  ) {}

  onModuleInit(): void {
    this.metrics.addGauge(
      'phaseline_judgements',
      'Claims that judges decided about, by tenant, judge and outcome: no-objection, objection or unreadable.',
      ['tenant', 'judge', 'outcome'],
      async () =>
        (await this.queries.judgements()).map(({ tenant, name, outcome, count }) => ({
          labels: { tenant, judge: name, outcome },
          value: count,
        })),
    );
  }
}
