import { expect, it } from 'vitest';
import { commandRequirements, type CommandRequirement } from '../../apps/cli/src/command/command-requirements.js';
import { listDeclaredRoutes } from '../../apps/orchestrator/src/access/list-declared-routes.js';
import { OrchestratorModule } from '../../apps/orchestrator/src/orchestrator.module.js';
import { queueRequirements } from '../../apps/orchestrator/src/queues/queue-requirements.js';
import { describeRights } from '../../libs/identity/src/rights/describe-rights.js';
import { rightDefinitions } from '../../libs/identity/src/rights/rights.js';
import { probeRequirements } from '@phaseline/service';

// `npx vitest run test/docs -u` updates the page.

const routes: ReadonlyMap<string, string | undefined> = new Map([
  ...Object.entries(probeRequirements).map(([path, requires]) => [`GET ${path}`, requires] as const),
  ...listDeclaredRoutes(OrchestratorModule).map(
    ({ method, path, requires }) => [`${method} ${path}`, requires] as const,
  ),
]);

function code(text: string | undefined): string {
  return text === undefined ? 'none declared' : text in rightDefinitions ? `\`${text}\`` : text.replaceAll('-', ' ');
}

function describeCommand(requirement: CommandRequirement): string {
  if (requirement === 'none') return 'nothing: uses only this machine';
  if ('route' in requirement) return describeRoute(requirement.route);
  const { database, withOption } = requirement;
  const instead = withOption ? `; with \`${withOption.option}\`, ${describeRoute(withOption.route)}` : '';
  return `${code(database)}, with the credentials of the database${instead}`;
}

function describeRoute(route: string): string {
  return `${code(routes.get(route))} (\`${route}\`)`;
}

const table = (heading: readonly string[], rows: readonly (readonly string[])[]): string[] => [
  `| ${heading.join(' | ')} |`,
  `|${heading.map(() => '---|').join('')}`,
  ...rows.map((row) => `| ${row.join(' | ')} |`),
];

function describeUses(): string {
  return [
    '## Routes',
    '',
    'A route with `:jobId` needs the right in the tenant of that job. For a job of a tenant in which the caller may not see jobs, the',
    'response is the same as for a job that does not exist. A list contains what belongs to the tenants in which the caller has the right.',
    'Routes for any caller reveal no data of tenants. `/metrics` shows everyone the series without a tenant, and a caller with',
    '`metrics:read` those of its tenants.',
    '',
    ...table(
      ['route', 'right'],
      [...routes].map(([route, requires]) => [`\`${route}\``, code(requires)]),
    ),
    '',
    '## Messages on queues',
    '',
    'A message on `jobs` is for the principal of its producer, which needs the right in the tenant that the message names. Messages that',
    'only services send contain ids and no decision; their receivers check in the log what is due.',
    '',
    ...table(
      ['queue', 'right'],
      Object.entries(queueRequirements).map(([queue, requires]) => [`\`${queue}\``, code(requires)]),
    ),
    '',
    '## Commands',
    '',
    'A command that asks the server needs the right of the route. A command that works on the database needs its credentials: who has them',
    'is an administrator there, and the operating-system user is recorded as the actor. The right says what such a command amounts to.',
    '',
    ...table(
      ['command', 'needs'],
      Object.entries(commandRequirements).map(([name, requires]) => [`\`${name}\``, describeCommand(requires)]),
    ),
    '',
  ].join('\n');
}

it('the page of rights contains every role, right, route, queue and command', async () => {
  await expect(`${describeRights()}\n${describeUses()}`).toMatchFileSnapshot('../../docs/reference/rights.md');
});

it('commands that ask the server name routes that exist', () => {
  const named = Object.values(commandRequirements).flatMap((one) =>
    typeof one === 'object' && 'route' in one ? [one.route] : [],
  );
  expect(named.filter((route) => !routes.has(route))).toEqual([]);
});
