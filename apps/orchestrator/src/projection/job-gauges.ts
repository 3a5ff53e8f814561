import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DeadLetters } from '@phaseline/cluster';
import { JobViews } from '@phaseline/projections';
import { queueNames } from '@phaseline/contracts';
import { Metrics } from '@phaseline/service';

/** Gauges for operators: jobs that have not ended, and dead letters. */
@Injectable()
export class JobGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly views: JobViews,
    private readonly letters: DeadLetters,
  ) {}

  onModuleInit(): void {
    this.metrics.addGauge('phaseline_jobs', 'Jobs that have not ended, by status.', ['status'], async () => {
      const jobs = await this.views.count([
        'submitted',
        'running',
        'waiting-for-approval',
        'waiting-for-input',
        'paused',
        'cancelling',
      ]);
      return [...jobs].map(([status, value]) => ({ labels: { status }, value }));
    });
    this.metrics.addGauge(
      'phaseline_dead_letters',
      'Messages that could not be delivered and wait for a person.',
      ['queue'],
      async () => {
        const letters = await this.letters.count();
        return queueNames.map((queue) => ({ labels: { queue }, value: letters[queue] ?? 0 }));
      },
    );
  }
}
