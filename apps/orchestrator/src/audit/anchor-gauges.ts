import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectConfig, InjectPool, Metrics } from '@phaseline/service';
import type { Pool } from 'pg';
import type { OrchestratorConfig } from '../orchestrator-config.js';

/** Reads one row of the index on the end of the log, however many events no anchor covers. */
const UNANCHORED_SQL = `SELECT coalesce((
    SELECT greatest(0, extract(epoch FROM clock_timestamp() - e.recorded_at)) FROM phaseline.events AS e
    WHERE e.transaction_id >= coalesce((SELECT a.horizon FROM phaseline.anchors AS a ORDER BY a.number DESC LIMIT 1), '0')
    ORDER BY e.transaction_id, e.position LIMIT 1
  ), 0)::float8 AS seconds`;

/** Gauge of the time for which events have had no anchor. Without a key the log is not anchored, and there is no value. */
@Injectable()
export class AnchorGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    @InjectConfig() private readonly config: OrchestratorConfig,
    @InjectPool() private readonly pool: Pool,
  ) {}

  onModuleInit(): void {
    this.metrics.addGauge(
      'phaseline_audit_unanchored_age_seconds',
      'Age of the oldest event that no anchor covers; 0 when there is none. No value without an audit key.',
      [],
      async () => {
        if (this.config.PHASELINE_AUDIT_KEY_FILE === undefined) return [];
        const { rows } = await this.pool.query<{ seconds: number }>(UNANCHORED_SQL);
        return rows.map(({ seconds }) => ({ labels: {}, value: seconds }));
      },
    );
  }
}
