import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PostgresAdmission, type TenantLoad } from '@phaseline/orchestration';
import { Metrics } from '@phaseline/service';

/** Number of tenants with their own series; the others share one series. */
const MAX_TENANTS_SHOWN = 20;

/** Gauges of the running phases and waiting jobs per tenant. */
@Injectable()
export class TenantGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly admission: PostgresAdmission,
  ) {}

  onModuleInit(): void {
    this.metrics.addGauge(
      'phaseline_tenant_phases',
      'Running phases and jobs that wait for a slot, by tenant; all but the busiest tenants are summed up as "(others)".',
      ['tenant', 'state'],
      async () =>
        selectBusiest(await this.admission.listTenants(), MAX_TENANTS_SHOWN).flatMap(({ tenant, active, waiting }) =>
          Object.entries({ active, waiting }).map(([state, value]) => ({ labels: { tenant, state }, value })),
        ),
    );
  }
}

/** Returns the busiest tenants, and the sum of all others as "(others)"; names of tenants never contain brackets. */
export function selectBusiest(
  loads: readonly TenantLoad[],
  shown: number,
): readonly Pick<TenantLoad, 'tenant' | 'active' | 'waiting'>[] {
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
