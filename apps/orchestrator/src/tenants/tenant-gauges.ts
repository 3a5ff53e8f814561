import { Injectable, type OnModuleInit } from '@nestjs/common';
import { PostgresAdmission, type TenantLoad } from '@phaseline/orchestration';
import { Metrics } from '@phaseline/service';

/** Series of their own are kept for so many tenants; the rest is summed up. */
const SHOWN = 20;

/** How many phases of each tenant are under way or wait. */
@Injectable()
export class TenantGauges implements OnModuleInit {
  constructor(
    private readonly metrics: Metrics,
    private readonly admission: PostgresAdmission,
  ) {}

  onModuleInit(): void {
    this.metrics.addGauge(
      'phaseline_tenant_phases',
      'Phases under way and jobs that wait for a slot, by tenant; tenants behind the busiest are summed up as "(others)".',
      ['tenant', 'state'],
      async () =>
        busiest(await this.admission.tenants(), SHOWN).flatMap(({ tenant, active, waiting }) =>
          Object.entries({ active, waiting }).map(([state, value]) => ({ labels: { tenant, state }, value })),
        ),
    );
  }
}

/** The tenants with the most phases, and all others as one; a tenant's own name never has brackets. */
export function busiest(
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
