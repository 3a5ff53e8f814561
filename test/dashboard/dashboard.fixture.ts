import { PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { Role } from '@phaseline/identity';
import { anyAgentPolicy, REHEARSAL_MODEL, startRehearsalServer, type RehearsalPolicy } from '@phaseline/rehearsal';
import { expect, vi } from 'vitest';
import { startAgentStack, type AgentStack } from '../system/agent-stack.fixture.js';
import { askingAgents } from '../system/asking-agents.fixture.js';
import { startBrowser, type DashboardBrowser, type DashboardPage } from './browser.fixture.js';

const WRITER = `name: writer
displayName: Writer
description: Writes a result about a document.
tools:
  workspace: [read_file, write_file, append_file]
deliverables: [output/result.md]
`;

export interface DashboardSystem extends AgentStack {
  readonly browser: DashboardBrowser;
  /** Submits a job with a short document, and waits until it has the status or waits for a person. */
  runJob(agent: string, until: 'completed' | 'waiting', labels?: Readonly<Record<string, string>>): Promise<JobId>;
}

export interface DashboardSystemOptions {
  readonly latencyMs?: number;
  readonly env?: NodeJS.ProcessEnv;
  /** More agents, as texts of `agent.yaml` by name, and files by path. */
  readonly agents?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  /** How the model plays them, before it plays any agent. */
  readonly policies?: readonly RehearsalPolicy[];
}

/** Starts all services with three agents and a scripted model, and a browser. Needs compiled sources (`npm run compile`). */
export async function startDashboardSystem(options: DashboardSystemOptions = {}): Promise<DashboardSystem> {
  const { latencyMs = 20, policies = [], files = {} } = options;
  const model = await startRehearsalServer({ policies: [...policies, anyAgentPolicy], latencyMs });
  const agents = { ...askingAgents, writer: WRITER, ...options.agents };
  const system = await startAgentStack(agents, model.baseUrl, {
    env: { PHASELINE_MODEL: REHEARSAL_MODEL, ...options.env },
    files,
  });
  const browser = await startBrowser(system.stack.apiUrl);
  const { client } = system;
  return {
    ...system,
    browser,
    runJob: async (agent, until, labels = {}) => {
      const { jobId } = await client.submit({
        agent,
        labels,
        documents: [{ name: 'note.md', content: '# Note\n\nThe report must be blue.\n' }],
      });
      // Unlike `expect.poll`, this also works before the tests.
      await vi.waitFor(async () => expect(describeProgress(await client.get(jobId))).toBe(until), {
        ...{ timeout: 60_000, interval: 200 },
      });
      return jobId;
    },
    close: async () => {
      await browser.close();
      await system.close();
      await model.close();
    },
  };
}

function describeProgress({ status, waitsFor }: Awaited<ReturnType<AgentStack['client']['get']>>): string {
  return waitsFor?.kind === 'approval' || waitsFor?.kind === 'question' ? 'waiting' : status;
}

/** Creates a person with a role in tenants. Returns a client with a key of the person. */
export async function createPerson(
  { client, stack }: AgentStack,
  id: string,
  role?: Role,
  tenants: readonly string[] = ['default'],
): Promise<PhaselineClient> {
  await client.principals.create({ id, kind: 'person' });
  if (role !== undefined) for (const tenant of tenants) await client.principals.grant(id, { role, tenant });
  const { key } = await client.keys.create({ principal: id });
  return new PhaselineClient({ baseUrl: stack.apiUrl, apiKey: key });
}

/** Opens a window in which the person of a client is signed in. */
export async function openWindowOf(
  { browser }: Pick<DashboardSystem, 'browser'>,
  person: PhaselineClient,
): Promise<DashboardPage> {
  const window = await browser.openWindow();
  await window.page.goto((await person.createLoginLink()).url);
  await window.page.getByRole('button', { name: 'Sign in' }).click();
  await window.page.waitForSelector('nav');
  return window;
}
