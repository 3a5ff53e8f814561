import { Injectable, type OnModuleInit } from '@nestjs/common';
import { findBehindJobs, readProjectionLag } from '@phaseline/projections';
import { InjectPool, Metrics, shareReads } from '@phaseline/service';
import type { Pool } from 'pg';

/**
 * Gauges of the lag of the read models behind the log. All read models share one checkpoint, so the values apply to
 * all.
 */
@Injectable()
export class ProjectionGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    @InjectPool() private readonly pool: Pool,
  ) {}

  onModuleInit(): void {
    const readLag = shareReads(() => readProjectionLag(this.pool));
    this.metrics.addGauge(
      'phaseline_projection_lag_events',
      'Events that change a read model and are not applied yet.',
      [],
      async () => [{ labels: {}, value: (await readLag()).lagEvents }],
    );
    this.metrics.addGauge(
      'phaseline_projection_lag_seconds',
      'Age of the oldest event that is not applied to the read models yet.',
      [],
      async () => [{ labels: {}, value: (await readLag()).lagSeconds }],
    );
    this.metrics.addGauge(
      'phaseline_projection_behind_jobs',
      'Jobs whose rows are not updated because of an event that could not be applied.',
      [],
      async () => [{ labels: {}, value: (await findBehindJobs(this.pool)).size }],
    );
  }
}
