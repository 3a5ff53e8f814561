import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectConfig, InjectPool, Metrics } from '@phaseline/service';
import type { Pool } from 'pg';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { readUnanchoredAge } from './read-unanchored-age.js';

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
        return [{ labels: {}, value: await readUnanchoredAge(this.pool) }];
      },
    );
  }
}
