import type { Command } from 'commander';
import type { RegisterAction } from './command-action.js';
import { createWholeNumberParser } from './option-values.js';

interface SetOptions {
  readonly maxRunningPhases?: number;
  readonly clear?: boolean;
}

/** Adds the commands about tenants and their limits. */
export function addTenantCommands(program: Command, action: RegisterAction): void {
  const tenants = program.command('tenants').description('show running and waiting phases by tenant, and the limits');
  action(tenants, () => async (context) => (await import('../tenant/tenants.js')).tenants(context));

  const set = tenants
    .command('set')
    .description('limit how many phases of a tenant may run at once')
    .argument('<tenant>', 'name of the tenant')
    .option(
      '--max-running-phases <count>',
      '0 starts no further phase',
      createWholeNumberParser({ min: 0, max: 1_000_000 }),
    )
    .option('--clear', 'remove the limit, so that the configured default applies');
  set.hook('preAction', () => {
    const { maxRunningPhases, clear } = set.opts<SetOptions>();
    if ((maxRunningPhases === undefined) === (clear === undefined))
      set.error('error: give either --max-running-phases or --clear');
  });
  action(
    set,
    (tenant: string, { maxRunningPhases }: SetOptions) =>
      async (context) =>
        (await import('../tenant/tenants.js')).setTenant(context, tenant, maxRunningPhases),
  );
}
