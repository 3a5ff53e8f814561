import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PostgresAdmission, type TenantLoad } from '@phaseline/orchestration';
import { Metrics, shareReads } from '@phaseline/service';

/** Number of tenants with their own series; the others share one series. */
const MAX_TENANTS_SHOWN = 20;

/** Gauges of the running phases, waiting jobs and limit per tenant. */
@Injectable()
export class TenantGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly admission: PostgresAdmission,
  ) {}

  onModuleInit(): void {
    const read = shareReads(() => this.admission.listTenants());
    this.metrics.addGauge(
      'phaseline_tenant_phases',
      'Running phases and jobs that wait for a slot, by tenant; all but the busiest tenants are summed up as "(others)".',
      ['tenant', 'state'],
      async () =>
        selectBusiest(await read(), MAX_TENANTS_SHOWN).flatMap(({ tenant, active, waiting }) =>
          Object.entries({ active, waiting }).map(([state, value]) => ({ labels: { tenant, state }, value })),
        ),
    );
    this.metrics.addGauge(
      'phaseline_tenant_phase_limit',
      'Maximum number of running phases of the busiest tenants that have a limit.',
      ['tenant'],
      async () =>
        selectBusiest(await read(), MAX_TENANTS_SHOWN).flatMap(({ tenant, limit }) =>
          limit === undefined ? [] : [{ labels: { tenant }, value: limit }],
        ),
    );
  }
}

/** Returns the busiest tenants, and the sum of all others as "(others)" without a limit; names of tenants never contain brackets. */
export function selectBusiest(
  loads: readonly TenantLoad[],
  shown: number,
): readonly Pick<TenantLoad, 'tenant' | 'active' | 'waiting' | 'limit'>[] {
  const busy = loads.filter(({ active, waiting }) => active + waiting > 0);
  const sorted = busy.toSorted((a, b) => b.active + b.waiting - a.active - a.waiting);
  const rest = sorted.slice(shown);
  if (rest.length === 0) return sorted;
  const sum = (of: (load: TenantLoad) => number): number => rest.reduce((total, load) => total + of(load), 0);
  return [
    ...sorted.slice(0, shown),
    { tenant: '(others)', active: sum(({ active }) => active), waiting: sum(({ waiting }) => waiting) },
  ];
}
