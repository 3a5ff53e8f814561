import type { Command } from 'commander';
import type { RegisterAction } from './command-action.js';
import { collectList } from './option-values.js';

const TENANT = 'name of the tenant; default: "default", or the only tenant in which you have the right';

/** Adds the commands about signing in and about the secrets of tenants. */
export function addSecretCommands(program: Command, action: RegisterAction): void {
  const login = program.command('login').description('print a link that signs you in with a browser, once');
  action(login, async () => (await import('../sign-in/login.js')).login);

  const secrets = program
    .command('secrets')
    .description('store secrets that tools and repositories use, and list their names');
  const list = secrets.command('list').description('list the secrets of a tenant, without their values');
  list.option('--tenant <tenant>', TENANT);
  action(list, async () => (await import('../secret/secrets.js')).listSecrets);

  const set = withScope(
    secrets
      .command('set')
      .description('store a secret; its value is read from standard input, or from a prompt that does not show it')
      .argument('<name>', 'name, to which settings refer as ${secret:NAME}'),
  );
  set.option(
    '--repository-host <host>',
    'host to which repositories may send it, such as github.com; may be repeated; default: no repository may use it',
    collectList,
  );
  action(set, async () => (await import('../secret/secrets.js')).setSecret);

  const remove = withScope(secrets.command('remove').description('remove a secret').argument('<name>', 'its name'));
  action(remove, async () => (await import('../secret/secrets.js')).removeSecret);
}

function withScope(command: Command): Command {
  return command
    .option('--tenant <tenant>', TENANT)
    .option('--agent <agent>', 'the only agent that may use it; default: every agent of the tenant');
}
