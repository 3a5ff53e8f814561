import { Option, type Command } from 'commander';
import type { RegisterAction } from './command-action.js';
import { collectList, parseExpiry, parseKeyPrefix } from './option-values.js';

const ROLES = 'viewer, operator, approver, author, auditor, admin or delegate';

/** Adds the commands about the caller, principals, roles and keys. */
export function addIdentityCommands(program: Command, action: RegisterAction): void {
  const whoAmI = program.command('whoami').description('show who you are for the server, and what you may do');
  action(whoAmI, async () => (await import('../identity/who-am-i.js')).whoAmI);
  addPrincipalCommands(program, action);
  addKeyCommands(program, action);
}

function addPrincipalCommands(program: Command, action: RegisterAction): void {
  const principals = program.command('principals').description('create people and services, and grant them roles');
  const load = () => import('../identity/principals.js');

  const list = principals.command('list').description('list principals with their roles, accounts and keys');
  action(list, async () => (await load()).listPrincipals);

  const create = principals
    .command('create')
    .description('create a person or a service, without roles')
    .argument('<id>', 'id, which every event of the principal names')
    .addOption(new Option('--kind <kind>', 'person or service').choices(['person', 'service']).default('person'));
  action(create, async () => (await load()).createPrincipal);

  const show = principals
    .command('show')
    .description('show the roles, accounts and keys of a principal')
    .argument('<id>', 'its id');
  action(show, async () => (await load()).showPrincipal);

  const disable = principals
    .command('disable')
    .description('refuse the keys of a principal and end its sessions')
    .argument('<id>', 'its id')
    .option('--reason <text>', 'why; recorded', '');
  action(disable, async () => (await load()).disablePrincipal);

  const enable = principals
    .command('enable')
    .description('accept the keys of a principal again')
    .argument('<id>', 'its id');
  action(enable, async () => (await load()).enablePrincipal);

  const withGrant = (command: Command): Command =>
    command
      .argument('<id>', 'id of the principal')
      .argument('<role>', ROLES)
      .requiredOption('--tenant <tenant>', "name of the tenant, or '*' for all tenants");
  const grant = withGrant(principals.command('grant').description('grant a role in a tenant or in all tenants'));
  action(grant, async () => (await load()).grantRole);
  const revoke = withGrant(principals.command('revoke').description('revoke a role'));
  action(revoke, async () => (await load()).revokeRole);

  const withAccount = (command: Command): Command =>
    command
      .argument('<id>', 'id of the principal')
      .argument('<subject>', 'id of the account at the provider; the page of a refused sign-in shows it')
      .option('--issuer <url>', 'URL of the OpenID provider; default: the provider of the server');
  const link = withAccount(
    principals.command('link').description('let a principal sign in with an account of an OpenID provider'),
  );
  action(link, async () => (await load()).linkAccount);
  const unlink = withAccount(
    principals.command('unlink').description('remove the link of an account, and end the sessions of its principal'),
  ).option('--reason <text>', 'why; recorded', '');
  action(unlink, async () => (await load()).unlinkAccount);
}

function addKeyCommands(program: Command, action: RegisterAction): void {
  const keys = program.command('keys').description('create, list and revoke API keys');
  const load = () => import('../identity/keys.js');

  const create = keys
    .command('create')
    .description('create a key and print it; it cannot be shown again')
    .argument('<principal>', 'id of the principal that the key identifies')
    .option('--label <text>', 'what the key is for', '')
    .option('--expires <when>', 'days or hours from now, such as 30d or 12h, or a date; at most 2 years', parseExpiry)
    .option('--right <right>', 'only this right; may be repeated, and accepts A,B', collectList)
    .option('--tenant <tenant>', 'only this tenant; may be repeated, and accepts A,B', collectList);
  action(create, async () => (await load()).createKey);

  const list = keys
    .command('list')
    .description('list keys, without their secret part')
    .option('--principal <id>', 'only the keys of this principal')
    .option(
      '--prefix <prefix>',
      'only the key with this prefix; a whole key is shortened to its prefix',
      parseKeyPrefix,
    );
  action(list, async () => (await load()).listKeys);

  const revoke = keys
    .command('revoke')
    .description('revoke a key, and end the sessions of its principal')
    .argument('<prefix>', 'prefix of the key, as `keys list` shows it', parseKeyPrefix)
    .option('--reason <text>', 'why; recorded', '');
  action(revoke, async () => (await load()).revokeKey);
}
