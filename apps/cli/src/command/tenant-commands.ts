import type { Command } from 'commander';
import type { Action } from './build-program.js';
import { wholeNumber } from './option-values.js';

interface SetOptions {
  readonly maxPhases?: number;
  readonly clear?: boolean;
}

/** The commands about whose phases may be under way. */
export function addTenantCommands(program: Command, action: Action): void {
  const tenants = program.command('tenants').description('phases under way and waiting by tenant, and their limits');
  action(tenants, () => async (context) => (await import('../tenant/tenants.js')).tenants(context));

  const set = tenants
    .command('set')
    .description('set how many phases of a tenant may be under way at once')
    .argument('<tenant>', 'name of the tenant')
    .option('--max-phases <count>', '0 lets no further phase begin', wholeNumber({ min: 0, max: 1_000_000 }))
    .option('--clear', 'give the word back to the configuration');
  set.hook('preAction', () => {
    const { maxPhases, clear } = set.opts<SetOptions>();
    if ((maxPhases === undefined) === (clear === undefined)) set.error('error: give either --max-phases or --clear');
  });
  action(
    set,
    (tenant: string, { maxPhases }: SetOptions) =>
      async (context) =>
        (await import('../tenant/tenants.js')).setTenant(context, tenant, maxPhases),
  );
}
