import { setTimeout as sleep } from 'node:timers/promises';
import { PhaselineClient, type PlanProgress } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
import { anyAgentPolicy, REHEARSAL_MODEL, startRehearsalServer, type RehearsalServer } from '@phaseline/rehearsal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifyLog } from '../../apps/cli/src/audit/verify-log.js';
import { startAgentStack, type AgentStack } from '../system/agent-stack.fixture.js';
import { officeDependencies, officePlanner, officeTasks } from './office-plan.fixture.js';

/**
 * An approved plan of six tasks, two of them of agents, carried out by separate processes on a clock on which a day takes seconds. The clocks of the
 * queues and of the database are the real ones.
 */
const agents = Object.fromEntries(
  ['researcher', 'writer'].map((name) => [
    name,
    `name: ${name}
displayName: ${name}
description: Does a task of a plan.
tools:
  workspace: [read_file, write_file, append_file]
deliverables: [output/result.md]
`,
  ]),
);
const SERVICES = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'] as const;
/** Before the first task on Monday, 4 January 2027; a day takes two seconds. */
const clock = { shows: '2027-01-04T06:00:00Z', speed: 43_200 };

let model: RehearsalServer;
let system: AgentStack;
let client: PhaselineClient;

beforeAll(async () => {
  model = await startRehearsalServer({ policies: [officePlanner, anyAgentPolicy], latencyMs: 50 });
  system = await startAgentStack(agents, model.baseUrl, { env: { PHASELINE_MODEL: REHEARSAL_MODEL } });
  const { apiUrl: baseUrl, apiKey } = system.stack;
  // The orchestrator is killed too.
  client = new PhaselineClient({ baseUrl, retries: 40, ...(apiKey === undefined ? {} : { apiKey }) });
}, 120_000);
afterAll(async () => {
  await system?.close();
  await model?.close();
}, 60_000);

/** Waits until a plan or a run waits for a reply, and replies. Returns what was asked. */
async function reply(id: JobId, text: string, read: (id: JobId) => Promise<Pick<PlanProgress, 'waitsFor'>>) {
  let asked = '';
  await expect
    .poll(async () => (asked = (await read(id)).waitsFor?.question ?? ''), { timeout: 60_000, interval: 100 })
    .not.toBe('');
  await client.replyToPlan(id, { text });
  return asked;
}

async function approvePlan(): Promise<JobId> {
  const { planId } = await client.submitPlan({ goal: 'Move to the new office by the end of January' });
  await reply(planId, 'approve', (id) => client.plan(id));
  expect(await client.wait(planId, { timeoutMs: 60_000 })).toMatchObject({ status: 'completed' });
  return planId;
}

async function listEvents(jobId: JobId) {
  const found: { readonly type: string; readonly data: Record<string, unknown> }[] = [];
  for await (const { type, data } of client.events(jobId)) found.push({ type, data: data as Record<string, unknown> });
  return found;
}

async function verify(): Promise<void> {
  const { signal } = new AbortController();
  expect(await verifyLog(system.stack.databaseUrl, { signal })).toMatchObject({ passed: true, problems: [] });
}

describe('a plan that is carried out', () => {
  it(
    'begins each task once and in the order of the dependencies, while every process is killed',
    { timeout: 300_000 },
    async () => {
      const planId = await approvePlan();
      const { runId } = await client.runPlan(planId, { people: 'as_planned', clock });
      let isOver = false;
      const killing = (async () => {
        for (const service of SERVICES) {
          await sleep(1_000 + Math.random() * 1_500);
          const pid = isOver ? undefined : system.stack.services().find(({ name }) => name === service)?.pid;
          if (pid !== undefined) process.kill(pid, 'SIGKILL');
        }
      })();
      const job = await client.wait(runId, { timeoutMs: 200_000 });
      isOver = true;
      await killing;
      expect(job).toMatchObject({ status: 'completed' });

      const events = await listEvents(runId);
      const order = events.flatMap(({ type, data }) =>
        type === 'PlanTaskStarted'
          ? [`begin ${data['item']}`]
          : type === 'PlanTaskEnded'
            ? [`end ${data['item']}`]
            : [],
      );
      const expected = Object.keys(officeTasks).flatMap((id) => [`begin ${id}`, `end ${id}`]);
      expect(order.toSorted()).toEqual(expected.toSorted());
      for (const [first, second] of officeDependencies)
        expect(order.indexOf(`begin ${second}`), `${first} before ${second}`).toBeGreaterThan(
          order.indexOf(`end ${first}`),
        );

      const delegated = events.filter(({ type }) => type === 'ChildJobRequested').map(({ data }) => data['agent']);
      expect(delegated.toSorted()).toEqual(['researcher', 'writer']);
      const { tasks, planId: carriedOut } = await client.planRun(runId);
      expect(carriedOut).toBe(planId);
      for (const { id, startedAt, start, status } of tasks) {
        expect(status, id).toBe('done');
        expect(Date.parse(startedAt!), id).toBeGreaterThanOrEqual(Date.parse(start));
      }
      expect(tasks.find(({ id }) => id === 'offers')!.files).toEqual([expect.stringMatching(/result\.md$/)]);
      await verify();
    },
  );

  it('waits for people to say that they have done their tasks', { timeout: 200_000 }, async () => {
    const planId = await approvePlan();
    const { runId } = await client.runPlan(planId, { clock: { ...clock, speed: 1_000_000 } });
    const progress = (id: JobId) => client.planRun(id);
    await expect
      .poll(async () => (await progress(runId)).waitsFor?.question, { timeout: 60_000, interval: 100 })
      .toContain('measure (Measure the rooms)');
    await client.replyToPlan(runId, { text: 'finished' });
    await expect
      .poll(async () => (await progress(runId)).waitsFor?.question, { timeout: 60_000, interval: 100 })
      .toContain('"finished" was not understood');
    for (const id of ['measure', 'choose', 'order', 'move']) {
      await expect
        .poll(async () => (await progress(runId)).waitsFor?.question, { timeout: 60_000, interval: 100 })
        .toContain(`- ${id} (`);
      await client.replyToPlan(runId, { text: id === 'order' ? 'skip order' : `done ${id}` });
    }
    expect(await client.wait(runId, { timeoutMs: 60_000 })).toMatchObject({ status: 'completed' });
    const { tasks } = await progress(runId);
    expect(tasks.map(({ id, status }) => `${id} ${status}`).toSorted()).toEqual([
      'choose done',
      'guide done',
      'measure done',
      'move done',
      'offers done',
      'order skipped',
    ]);
  });

  it('is made again with what the person says, and continues with the new plan', { timeout: 200_000 }, async () => {
    const planId = await approvePlan();
    const { runId } = await client.runPlan(planId, { clock: { ...clock, speed: 1_000_000 } });
    const progress = (id: JobId) => client.planRun(id);
    await reply(runId, 're-plan: the rooms are ready a week later', progress);
    const child = await findNewPlan(planId);
    await reply(child, 'approve', (id) => client.plan(id));
    await expect
      .poll(async () => (await progress(runId)).replaced, { timeout: 60_000, interval: 100 })
      .toEqual([
        { contentHash: (await client.plan(planId)).hashes['schedule'], why: 'the rooms are ready a week later' },
      ]);
    await reply(runId, 'stop', progress);
    expect(await client.wait(runId, { timeoutMs: 60_000 })).toMatchObject({ status: 'cancelled' });
    await verify();
  });

  it('must be approved, and is the one that the caller means', async () => {
    const { planId } = await client.submitPlan({ goal: 'Move to the new office by the end of January' });
    await expect(client.runPlan(planId)).rejects.toMatchObject({ code: 'plan_not_approved' });
    await reply(planId, 'approve', (id) => client.plan(id));
    await client.wait(planId, { timeoutMs: 60_000 });
    await expect(client.runPlan(planId, { contentHash: 'f'.repeat(64) })).rejects.toMatchObject({
      code: 'approval_outdated',
    });
    await expect(client.planRun(planId)).rejects.toMatchObject({ code: 'plan_not_found' });
  });
});

it(
  'a plan is made for the job that stores it in the graph, and an aborted one aborts the job',
  { timeout: 200_000 },
  async () => {
    const parameters = { goal: 'Move to the new office by the end of January', user: 'root' };
    const earlier = await findNewestPlan();
    const { jobId } = await client.submit({ agent: 'plan-keeper', parameters });
    const planId = await findNewPlan(earlier);
    await reply(planId, 'approve', (id) => client.plan(id));
    expect(await client.wait(jobId, { timeoutMs: 60_000 })).toMatchObject({ status: 'completed' });
    const graph = await readGraph(planId);
    expect(graph.nodes).toEqual(
      [
        `Goal ${planId}`,
        `Milestone ${planId}/ready`,
        ...Object.keys(officeTasks).map((id) => `Task ${planId}/${id}`),
      ].toSorted(),
    );
    expect(graph.relationships).toEqual(
      [
        `${planId}/ready PART_OF ${planId}`,
        ...Object.keys(officeTasks).map((id) => `${planId}/${id} PART_OF ${planId}/ready`),
        ...officeDependencies.map(([from, to]) => `${planId}/${to} DEPENDS_ON ${planId}/${from}`),
      ].toSorted(),
    );

    // Calls of one answer run concurrently, so those that connect nodes are made when all nodes are stored.
    const events = await listEvents(jobId);
    const updates = events.filter(({ type, data }) => type === 'ToolCallRequested' && data['name'] === UPDATE);
    const connects = updates.findIndex(({ data }) => JSON.stringify(data['arguments']).includes('PART_OF'));
    const nodes = updates.slice(0, connects).map(({ data }) => data['callId']);
    expect(nodes).toHaveLength(3);
    const before = events.slice(0, events.indexOf(updates[connects]!));
    const stored = before.filter(({ type, data }) => type === 'ToolCallCompleted' && nodes.includes(data['callId']));
    expect(stored).toHaveLength(3);

    const stopped = await client.submit({ agent: 'plan-keeper', parameters });
    const other = await findNewPlan(planId);
    await expect
      .poll(async () => (await client.plan(other)).waitsFor, { timeout: 60_000, interval: 100 })
      .not.toBeNull();
    await client.cancel(other, { reason: 'not needed' });
    expect(await client.wait(stopped.jobId, { timeoutMs: 60_000 })).toMatchObject({
      status: 'aborted',
      failure: { code: 'plan_aborted' },
    });
    await verify();
  },
);

/** The tool that writes to the graph. */
const UPDATE = 'execute_cypher_update';

/** The nodes and relationships of a plan in the graph. */
async function readGraph(planId: JobId) {
  const pool = createPool(system.stack.databaseUrl, { max: 1, applicationName: 'spec' });
  try {
    const nodes = await pool.query<{ readonly node: string }>(
      `SELECT labels[1] || ' ' || (properties ->> 'id') AS node FROM phaseline.graph_nodes WHERE properties ->> 'id' LIKE $1`,
      [`${planId}%`],
    );
    const edges = await pool.query<{ readonly edge: string }>(
      `SELECT (a.properties ->> 'id') || ' ' || type || ' ' || (b.properties ->> 'id') AS edge
       FROM phaseline.graph_edges e JOIN phaseline.graph_nodes a ON a.id = e.from_id JOIN phaseline.graph_nodes b ON b.id = e.to_id
       WHERE a.properties ->> 'id' LIKE $1`,
      [`${planId}%`],
    );
    return {
      nodes: nodes.rows.map(({ node }) => node).toSorted(),
      relationships: edges.rows.map(({ edge }) => edge).toSorted(),
    };
  } finally {
    await pool.end();
  }
}

async function findNewestPlan(): Promise<JobId | undefined> {
  for await (const { planId } of client.plans({ limit: 1 })) return planId;
  return undefined;
}

/** The newest plan, once it is another one than `earlier`. */
async function findNewPlan(earlier: JobId | undefined): Promise<JobId> {
  let newest: JobId | undefined;
  await expect
    .poll(async () => (newest = await findNewestPlan()), { timeout: 60_000, interval: 200 })
    .not.toBe(earlier);
  return newest!;
}
