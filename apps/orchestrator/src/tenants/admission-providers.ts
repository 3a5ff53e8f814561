import type { Provider } from '@nestjs/common';
import { PostgresAdmission, type AdmissionSettings } from '@phaseline/orchestration';
import { Metrics, serviceTokens } from '@phaseline/service';
import type { Pool } from 'pg';
import { Histogram } from 'prom-client';
import type { OrchestratorConfig } from '../orchestrator-config.js';
import { TenantGauges } from './tenant-gauges.js';

/** Histogram bounds in seconds: a free slot is granted within milliseconds, and phases take minutes. */
const WAIT_BUCKETS_SECONDS = [0.01, 0.1, 1, 5, 15, 60, 300, 900, 3_600, 14_400];

/**
 * Number of phases per kind that may start while no worker is known: as many as one worker runs by default, so that the
 * first worker finds work.
 */
const PHASES_WITHOUT_WORKERS = 32;

/** Providers that decide which phases may run, with their metrics. */
export const admissionProviders: Provider[] = [
  {
    provide: PostgresAdmission,
    inject: [serviceTokens.config, serviceTokens.pool, Metrics],
    useFactory: (config: OrchestratorConfig, pool: Pool, metrics: Metrics) => {
      const waits = new Histogram({
        name: 'phaseline_slot_wait_seconds',
        help: 'Time that a phase waited for its slot, observed when the slot was granted.',
        buckets: WAIT_BUCKETS_SECONDS,
        registers: [metrics.registry],
      });
      return new PostgresAdmission(pool, {
        settings: admissionSettings(config),
        onGranted: ({ waitedMs }) => waits.observe(waitedMs / 1_000),
      });
    },
  },
  TenantGauges,
];

function admissionSettings(config: OrchestratorConfig): AdmissionSettings {
  const { PHASELINE_MAX_RUNNING_PHASES: window, PHASELINE_MAX_PHASES_PER_TENANT: tenantLimit } = config;
  return {
    window: window ?? { factor: config.PHASELINE_OVERCOMMIT_FACTOR, withoutWorkers: PHASES_WITHOUT_WORKERS },
    ...(tenantLimit === undefined ? {} : { tenantLimit }),
    tenantLimits: config.PHASELINE_TENANT_LIMITS,
  };
}
