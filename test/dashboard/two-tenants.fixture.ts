import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { DeadLetters } from '@phaseline/cluster';
import type { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
import { plannerPolicy } from '@phaseline/rehearsal';
import { expect, vi } from 'vitest';
import { startDashboardSystem, type DashboardSystem } from './dashboard.fixture.js';

/** Texts of one tenant, each in one kind of data, and unlike every other text. */
export interface TenantMarkers {
  readonly tenant: string;
  readonly jobText: string;
  /** Part of the goal of a plan. */
  readonly planGoal: string;
  readonly document: string;
  readonly guard: string;
  readonly secretName: string;
  readonly secretValue: string;
  readonly principal: string;
  readonly keyLabel: string;
  readonly deadLetter: string;
}

interface MarkedTenant {
  readonly markers: TenantMarkers;
  readonly jobIds: readonly JobId[];
  readonly planId: JobId;
  readonly deadLetterId: string;
}

export interface MarkedSystem extends DashboardSystem {
  readonly own: MarkedTenant;
  readonly other: MarkedTenant;
}

const ROOT = join(import.meta.dirname, '../..');
const API_KEY = randomBytes(24).toString('hex');

/** Starts the whole system with the same kinds of data in two tenants. */
export async function startMarkedSystem(): Promise<MarkedSystem> {
  // Without the shipped agents and guards, which all tenants share, there is less to visit.
  const env = {
    ...{ PHASELINE_API_KEYS: `root=${API_KEY}`, PHASELINE_SHIPPED_DEFINITIONS: '0' },
    PHASELINE_MODELS_DIR: join(ROOT, 'models'),
  };
  const system = await startDashboardSystem({ env, files: await readShipped(), policies: [plannerPolicy] });
  try {
    const [own, other] = await Promise.all([fillTenant(system), fillTenant(system)]);
    // The server runs one backtest at a time.
    for (const { tenant, guard } of [own.markers, other.markers])
      await system.client.guards.backtest(guard, { scope: 'tenant', tenant });
    return { ...system, own, other };
  } catch (error) {
    await system.close();
    throw error;
  }
}

/** Reads the workflows that the agents of the spec follow, and the planner with all of its files. */
async function readShipped(): Promise<Readonly<Record<string, string>>> {
  const planner = await readdir(join(ROOT, 'agents/planner'), { recursive: true, withFileTypes: true });
  const paths = [
    ...['workflows/phase-alternation.yaml', 'workflows/planning.yaml'],
    ...planner.filter((entry) => entry.isFile()).map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
  ];
  return Object.fromEntries(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(ROOT, path), 'utf8')] as const)),
  );
}

function createMarkers(): TenantMarkers {
  const word = (prefix: string): string => `${prefix}${randomBytes(6).toString('hex')}`;
  return {
    ...{
      tenant: word('t'),
      jobText: word('job'),
      planGoal: word('goal'),
      document: word('document'),
      guard: word('guard'),
    },
    ...{ secretName: word('S').toUpperCase(), secretValue: word('value'), principal: word('person') },
    ...{ keyLabel: word('label'), deadLetter: word('letter') },
  };
}

async function fillTenant(system: DashboardSystem): Promise<MarkedTenant> {
  const { client } = system;
  const markers = createMarkers();
  const { tenant } = markers;
  await client.secrets.store(markers.secretName, { tenant, value: markers.secretValue });
  await client.principals.create({ id: markers.principal, kind: 'person' });
  await client.principals.grant(markers.principal, { role: 'viewer', tenant });
  await client.keys.create({ principal: markers.principal, label: markers.keyLabel });
  const guard = { name: markers.guard, owner: 'legal', when: { tool: 'never' }, then: { deny: 'no' } };
  await client.guards.add({ scope: 'tenant', tenant, guard });
  const deadLetterId = await addDeadLetter(system, markers);
  const jobIds: JobId[] = [];
  for (const agent of ['careful', 'asker']) jobIds.push(await submit(client, agent, markers));
  const goal = `Learn to sail ${markers.planGoal} in ten weeks`;
  const { planId } = await client.submitPlan({ tenant, goal, policy: { conversationStyle: 'concise' } });
  await waitForPerson(client, planId);
  return { markers, jobIds, planId, deadLetterId };
}

async function submit(client: PhaselineClient, agent: string, markers: TenantMarkers): Promise<JobId> {
  const { jobId } = await client.submit({
    ...{ agent, tenant: markers.tenant, instructions: markers.jobText, labels: { note: markers.jobText } },
    documents: [{ name: `${markers.document}.md`, content: '# Note\n' }],
  });
  await waitForPerson(client, jobId);
  return jobId;
}

async function waitForPerson(client: PhaselineClient, jobId: JobId): Promise<void> {
  await vi.waitFor(
    async () => {
      const { waitsFor } = await client.get(jobId);
      expect(waitsFor?.kind === 'approval' || waitsFor?.kind === 'question').toBe(true);
    },
    { timeout: 60_000, interval: 200 },
  );
}

async function addDeadLetter({ stack }: DashboardSystem, { tenant, deadLetter }: TenantMarkers): Promise<string> {
  const pool = createPool(stack.databaseUrl, { max: 1 });
  try {
    const payload = { json: { agent: 'writer', tenant } };
    const letter = { queue: 'jobs', messageId: deadLetter, payload, reason: deadLetter, attempts: 1 } as const;
    return String(await new DeadLetters(pool).add(letter));
  } finally {
    await pool.end();
  }
}
