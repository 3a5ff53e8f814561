import { Injectable, type OnModuleInit } from '@nestjs/common';
import { behindJobs, projectionLag } from '@phaseline/projections';
import { InjectPool, Metrics } from '@phaseline/service';
import type { Pool } from 'pg';

/** How far the read models are behind the log. They share one checkpoint, so the figures are those of all. */
@Injectable()
export class ProjectionGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    @InjectPool() private readonly pool: Pool,
  ) {}

  onModuleInit(): void {
    this.metrics.addGauge(
      'phaseline_projection_lag_events',
      'Events that change a read model and are not in it yet.',
      [],
      async () => [{ labels: {}, value: (await projectionLag(this.pool)).events }],
    );
    this.metrics.addGauge(
      'phaseline_projection_lag_seconds',
      'Age of the oldest event that is not in the read models yet.',
      [],
      async () => [{ labels: {}, value: (await projectionLag(this.pool)).seconds }],
    );
    this.metrics.addGauge(
      'phaseline_projection_behind_jobs',
      'Jobs whose rows stand still before an event that the release which kept them did not understand.',
      [],
      async () => [{ labels: {}, value: (await behindJobs(this.pool)).size }],
    );
  }
}
