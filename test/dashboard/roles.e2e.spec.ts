import { createHash } from 'node:crypto';
import { ALL_TENANTS, rightDefinitions, roleDefinitions, roles, type Right, type Role } from '@phaseline/identity';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardPage } from './browser.fixture.js';
import { crawl, visit, type Crawl } from './crawl.fixture.js';
import { createPerson, openWindowOf } from './dashboard.fixture.js';
import { startMarkedSystem, type MarkedSystem, type TenantMarkers } from './two-tenants.fixture.js';

interface Visitor {
  readonly name: string;
  readonly role?: Role;
  /** Default: the own tenant. */
  readonly tenant?: string;
}

interface Visit extends Crawl {
  /** What addresses showed that no page offered. */
  readonly typed: Pick<Crawl, 'screens' | 'responses'>;
  readonly problems: readonly string[];
}

/** The right without which nobody may see a kind of text; undefined for what nobody may see. Everyone sees the names of their tenants. */
const rightOfKind: Readonly<Record<Exclude<keyof TenantMarkers, 'tenant'>, Right | undefined>> = {
  ...{
    jobText: 'jobs:read',
    planGoal: 'jobs:read',
    document: 'files:read',
    guard: 'guards:read',
    secretName: 'secrets:use',
  },
  ...{ principal: 'principals:read', keyLabel: 'principals:read', deadLetter: 'queues:read', secretValue: undefined },
};

const rightOfScreen: Readonly<Record<string, Right | undefined>> = {
  ...{
    '/': 'jobs:read',
    '/jobs': 'jobs:read',
    '/plans': 'jobs:read',
    '/inbox': 'inbox:read',
    '/submit': 'jobs:submit',
  },
  ...{ '/agents': 'agents:read', '/guards': 'guards:read', '/learning': 'jobs:read', '/audit': 'jobs:read' },
  '/dead-letters': 'queues:read',
  '/settings': undefined,
};

const rightOfControl: Readonly<Record<string, Right>> = {
  ...{ Pause: 'jobs:control', Steer: 'jobs:control', Cancel: 'jobs:control' },
  ...{ 'Submit a job': 'jobs:submit', 'Fork here': 'jobs:submit', Submit: 'jobs:submit' },
  ...{ Approve: 'approvals:decide', 'Change and approve…': 'approvals:decide', 'Refuse…': 'approvals:decide' },
  ...{ 'New plan': 'jobs:submit', 'Start planning': 'jobs:submit', 'How sure, and how right': 'jobs:read' },
  ...{ Preferences: 'questions:answer', 'Save preferences': 'questions:answer' },
  // The plan of the spec is made for another person.
  'Approve the schedule': 'plans:approve',
  ...{ Backtest: 'guards:backtest', Promote: 'guards:promote', 'Override in a job': 'guards:override' },
  ...{ 'Store secret': 'secrets:manage', 'Set retention': 'retention:manage', 'Set a limit': 'tenants:write' },
  ...{ 'Create principal': 'principals:manage', 'Create key': 'keys:manage', 'Discard…': 'queues:control' },
};

/** Number of visitors of one tenant in a sample; the administrator of all tenants always visits. */
const SAMPLED_VISITORS = 3;
/** PHASELINE_SAMPLE, the hash of a commit, chooses some of the visitors: each commit tries others. */
const sample = process.env['PHASELINE_SAMPLE'];
const allOfOneTenant: readonly Visitor[] = [...roles.map((role) => ({ name: role, role })), { name: 'nothing' }];
const oneTenant = sample === undefined ? allOfOneTenant : chooseSome(allOfOneTenant, sample);
const everywhere: Visitor = { name: 'admin-everywhere', role: 'admin', tenant: ALL_TENANTS };

let system: MarkedSystem;
const visits = new Map<string, Visit>();
let signedOut: Visit;

beforeAll(async () => {
  system = await startMarkedSystem();
  // Two at a time, because a page mostly waits.
  const waiting = [everywhere, ...oneTenant];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) visits.set(next.name, await visitAs(next));
  };
  await Promise.all([work(), work()]);
  signedOut = await visitWith(await system.browser.openWindow());
}, 600_000);
afterAll(() => system?.close(), 60_000);

function chooseSome(visitors: readonly Visitor[], seed: string): readonly Visitor[] {
  const rank = ({ name }: Visitor): string => createHash('sha256').update(`${seed} ${name}`).digest('hex');
  return visitors.toSorted((one, other) => rank(one).localeCompare(rank(other))).slice(0, SAMPLED_VISITORS);
}

async function visitAs({ name, role, tenant = system.own.markers.tenant }: Visitor): Promise<Visit> {
  return visitWith(await openWindowOf(system, await createPerson(system, name, role, [tenant])));
}

async function visitWith({ page, problems }: DashboardPage): Promise<Visit> {
  try {
    const crawled = await crawl(page);
    return { ...crawled, typed: await visit(page, listTypedPaths()), problems };
  } finally {
    await page.context().close();
  }
}

/** Every screen, and the things of the other tenant. */
function listTypedPaths(): readonly string[] {
  const { own, other } = system;
  const [job, otherJob] = [own.jobIds[0], other.jobIds[0]];
  const { tenant, guard } = other.markers;
  return [
    ...[
      `/jobs/${otherJob}`,
      `/plans/${other.planId}`,
      `/audit/${otherJob}`,
      `/compare/${job}/${otherJob}`,
      `/dead-letters/${other.deadLetterId}`,
    ],
    ...[`/guards/${guard}?tenant=${tenant}`, `/jobs?tenant=${tenant}`, `/inbox?tenant=${tenant}`],
    ...[`/plans/new?tenant=${tenant}`, `/plans/preferences?tenant=${tenant}`],
    ...[
      '/submit',
      '/learning/guards',
      '/audit',
      '/dead-letters',
      '/plans/new',
      '/plans/preferences',
      '/plans/calibration',
    ],
    ...['principals', 'keys', 'tenants', 'secrets', 'retention'].map((tab) => `/settings/${tab}`),
  ];
}

/** Whether a visitor has a right in the own tenant, from the tables of roles and rights alone. */
function isAllowed({ role, tenant }: Visitor, right: Right | undefined): boolean {
  if (role === undefined || right === undefined) return false;
  if (!(roleDefinitions[role].rights as readonly Right[]).includes(right)) return false;
  return rightDefinitions[right].scope === 'tenant' || tenant === ALL_TENANTS;
}

/** Returns the kinds of texts that screens or responses contain, apart from those in their own address. */
function listKinds({ screens, responses }: Pick<Crawl, 'screens' | 'responses'>, markers: TenantMarkers): string[] {
  const texts = [
    ...screens.map(({ path, html }) => [path, html] as const),
    ...responses.map(({ path, body }) => [path, body] as const),
  ];
  const isSeen = (marker: string): boolean =>
    texts.some(([path, text]) => text.includes(marker) && !decodeURIComponent(path).includes(marker));
  return Object.entries(markers).flatMap(([kind, marker]) => (isSeen(String(marker)) ? [kind] : []));
}

const listExpectedKinds = (visitor: Visitor): string[] => [
  ...(visitor.role === undefined ? [] : ['tenant']),
  ...Object.entries(rightOfKind).flatMap(([kind, right]) => (isAllowed(visitor, right) ? [kind] : [])),
];

const listRefusals = ({ responses }: Pick<Crawl, 'responses'>): unknown[] =>
  responses.filter(({ status }) => status >= 400).map(({ path, status }) => [path, status]);

describe.each(oneTenant)('a person with the role $name in one tenant', (visitor) => {
  const see = (): Visit => visits.get(visitor.name)!;

  it('sees every kind of data for which it has a right, and no other', () => {
    expect(listKinds(see(), system.own.markers).toSorted()).toEqual(listExpectedKinds(visitor).toSorted());
  });

  it('sees nothing of another tenant, by links or by addresses', () => {
    const { typed } = see();
    expect([listKinds(see(), system.other.markers), listKinds(typed, system.other.markers)]).toEqual([[], []]);
    const ids = [...system.other.jobIds, system.other.planId].filter((id) =>
      see().screens.some(({ html }) => html.includes(id)),
    );
    expect(ids).toEqual([]);
    expect(typed.screens.length).toBe(listTypedPaths().length);
    const statuses = new Set(typed.responses.map(({ status }) => status).filter((status) => status >= 400));
    expect([...statuses].filter((status) => status !== 403 && status !== 404)).toEqual([]);
  });

  it('is offered each screen that it may read, and no other', () => {
    const { navigation, screens } = see();
    const expected = Object.entries(rightOfScreen).filter(
      ([, right]) => right === undefined || isAllowed(visitor, right),
    );
    expect(navigation).toEqual(expected.map(([path]) => path));
    expect(screens.filter(({ isOnlyNotice }) => isOnlyNotice).map(({ path }) => path)).toEqual([]);
    // The inbox, both jobs with their panels, and the tabs of the settings are more than the entries.
    const isReader = isAllowed(visitor, 'jobs:read');
    expect(screens.length).toBeGreaterThan(isReader ? 25 : 2);
  });

  it('is offered each control for which it has a right, and no other', () => {
    const offered = new Set(see().screens.flatMap(({ controls }) => controls));
    const isOffered = Object.fromEntries(Object.keys(rightOfControl).map((name) => [name, offered.has(name)]));
    const expected = Object.entries(rightOfControl).map(([name, right]) => [name, isAllowed(visitor, right)] as const);
    expect(isOffered).toEqual(Object.fromEntries(expected));
  });

  it('meets no refusal, no failure and no error', () => {
    expect({ refusals: listRefusals(see()), problems: see().problems }).toEqual({ refusals: [], problems: [] });
  });
});

it('an administrator of all tenants sees every kind of both, so each of them is on some screen', () => {
  const seen = visits.get(everywhere.name)!;
  // The secrets of a tenant are listed when its name was entered, and no page links to them.
  const kinds = listExpectedKinds(everywhere)
    .filter((kind) => kind !== 'secretName')
    .toSorted();
  expect(listKinds(seen, system.own.markers).toSorted()).toEqual(kinds);
  expect(listKinds(seen, system.other.markers).toSorted()).toEqual(kinds);
  const offered = new Set(seen.screens.flatMap(({ controls }) => controls));
  expect(Object.keys(rightOfControl).filter((name) => !offered.has(name))).toEqual([]);
  expect({ refusals: listRefusals(seen), problems: seen.problems }).toEqual({ refusals: [], problems: [] });
});

it('a person who is not signed in sees the page for signing in, and no data', () => {
  expect(signedOut.screens.map(({ path, links }) => [path, links])).toEqual([['/', ['/login']]]);
  expect(new Set([...signedOut.typed.responses, ...signedOut.responses].map(({ status }) => status))).toEqual(
    new Set([200, 401]),
  );
  for (const { markers } of [system.own, system.other])
    expect([listKinds(signedOut, markers), listKinds(signedOut.typed, markers)]).toEqual([[], []]);
  expect(signedOut.problems).toEqual([]);
});
