import { rightDefinitions, rights } from './rights.js';
import { roleDefinitions, roles } from './roles.js';

/** Renders the reference page of rights and roles from the data. */
export function describeRights(): string {
  return [
    '# Rights and roles',
    '',
    'After reading this page you know what each role may do, and which role a principal needs. A test checks this page against',
    '`libs/identity/src/rights`; `npx vitest run test/docs -u` updates it.',
    '',
    '## Roles',
    '',
    'A role is granted for one tenant, or for all tenants with `*`.',
    '',
    '| role | purpose |',
    '|---|---|',
    ...roles.map((role) => `| \`${role}\` | ${roleDefinitions[role].purpose} |`),
    '',
    '## Rights',
    '',
    'A right with the scope `tenant` applies to the tenants for which the role was granted. A right with the scope `system` concerns what',
    'tenants share, and only a role that was granted for all tenants (`*`) contains it.',
    '',
    `| right | scope | allows to | ${roles.join(' | ')} |`,
    `|---|---|---|${roles.map(() => '---|').join('')}`,
    ...rights.map((right) => {
      const { scope, allows } = rightDefinitions[right];
      const marks = roles.map((role) =>
        (roleDefinitions[role].rights as readonly string[]).includes(right) ? '✓' : '',
      );
      return `| \`${right}\` | ${scope} | ${allows} | ${marks.join(' | ')} |`;
    }),
    '',
  ].join('\n');
}
