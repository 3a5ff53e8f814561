import type { Command } from 'commander';
import type { SetTenantOptions } from '../tenant/tenants.js';
import type { RegisterAction } from './command-action.js';
import { createWholeNumberParser } from './option-values.js';

/** Adds the commands about tenants and their limits. */
export function addTenantCommands(program: Command, action: RegisterAction): void {
  const tenants = program.command('tenants').description('show running and waiting phases by tenant, and the limits');
  action(tenants, async () => (await import('../tenant/tenants.js')).tenants);

  const set = tenants
    .command('set')
    .description('limit how many phases of a tenant may run concurrently')
    .argument('<tenant>', 'name of the tenant')
    .option('--max-running-phases <count>', '0 starts no further phase', createWholeNumberParser(0, 1_000_000))
    .option('--clear', 'remove the limit, so that the configured default applies');
  set.hook('preAction', () => {
    const { maxRunningPhases, clear } = set.opts<SetTenantOptions>();
    if ((maxRunningPhases === undefined) === (clear === undefined))
      set.error('error: give either --max-running-phases or --clear');
  });
  action(set, async () => (await import('../tenant/tenants.js')).setTenant);
}
