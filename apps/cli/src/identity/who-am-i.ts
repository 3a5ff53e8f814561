import type { WhoAmI } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { toPrintable } from '../output/printable.js';

/** `phaseline whoami`: shows the caller as the server recognises it, and its rights by tenant. */
export async function whoAmI(context: CommandContext): Promise<ExitCode> {
  const { out, signal } = context;
  const caller = await (await connect(context)).whoAmI({ signal });
  if (out.isStructured) out.writeDocument(caller);
  else out.writeLines(...renderWhoAmI(caller).map(toPrintable));
  return exitCode.ok;
}

export function renderWhoAmI(caller: WhoAmI): string[] {
  const { id, kind, onBehalfOf, roles, rights } = caller;
  const acting = onBehalfOf ? `, on behalf of ${onBehalfOf.id} (${onBehalfOf.kind})` : '';
  const byTenants = Map.groupBy(rights, ({ tenants }) => (tenants === 'all' ? 'all tenants' : tenants.join(', ')));
  return [
    `${id} (${kind})${acting}, ${describeAuthentication(caller.authentication)}`,
    `roles: ${roles.map(({ role, tenant }) => `${role} in ${tenant === '*' ? 'all tenants' : tenant}`).join(', ') || 'none'}`,
    ...(rights.length === 0 ? ['rights: none'] : []),
    ...[...byTenants].map(([tenants, group]) => `rights in ${tenants}: ${group.map(({ right }) => right).join(', ')}`),
  ];
}

function describeAuthentication({ method, prefix, expiresAt }: WhoAmI['authentication']): string {
  switch (method) {
    case 'key':
      return `with the key ${prefix ?? ''}${expiresAt === undefined ? '' : `, until ${expiresAt}`}`;
    case 'configured-key':
      return 'with a key in PHASELINE_API_KEYS of the server';
    case 'session':
      return 'signed in with a browser';
    case 'local-user':
      return 'without a key, as the user who runs the server';
  }
}
