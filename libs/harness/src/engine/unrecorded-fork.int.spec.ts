import { verifyClaims } from '@phaseline/audit';
import type { JobId, Unrecorded } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
import { ForkInvalid } from '@phaseline/time-travel';
import { checkJob } from '@phaseline/what-if';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Policy } from './engine.js';
import { fetchAndWrite, positionOf, useForks } from './fork.fixture.js';
import { call, calls, createThreePhasePolicy, parsePrompt } from './scripts.js';

const { opened, playJob, outcomeOf, findChainProblems } = useForks();
let pool: Pool;
let parent: Awaited<ReturnType<typeof playJob>>;
beforeAll(async () => {
  pool = createPool(opened.url, { max: 2 });
  parent = await playJob(fetchAndWrite);
});
afterAll(() => pool.end());

/** A model that fetches something that the recording does not have. */
const other: Policy = createThreePhasePolicy((request) => {
  const { turn } = parsePrompt(request);
  if (turn === 0) return calls(['fetch', { what: 'a' }], ['fetch', { what: 'c' }]);
  return turn === 1 ? call('write_file', { path: 'output/a.md', content: 'x' }) : call('todo_complete');
});

/** Forks the job with a policy, plays the fork with the other model, and checks that both can be decided and verified again. */
async function playFork(unrecorded: Unrecorded) {
  const { engine, runs, events } = parent;
  const before = runs.length;
  const fork = await parent.fork({ position: positionOf(events, 'PhaseStarted', 1), mode: 'live-model', unrecorded });
  await engine.run(fork, { worker: engine.worker('worker', other) });
  expect((await checkJob(opened.store, fork, { tools: engine.tools })).differences).toEqual([]);
  expect(await verifyClaims(pool, { correlationId: fork })).toMatchObject({ problems: [], notDerived: [] });
  return { fork, outcome: await outcomeOf(fork), ran: runs.slice(before), ends: await readEnds(fork) };
}

async function readEnds(fork: JobId): Promise<readonly unknown[]> {
  const events = await parent.engine.phaseEvents(fork, 2);
  const fetched = events.flatMap(({ type, data }) =>
    type === 'ToolCallRequested' && data['name'] === 'fetch' ? [data['callId']] : [],
  );
  return events
    .filter(({ type, data }) => /^ToolCall(Completed|Failed)$/.test(type) && fetched.includes(data['callId']))
    .map(({ data }) => data['code'] ?? data['content']);
}

it('by default the call fails and the job continues', async () => {
  const { outcome, ran, ends } = await playFork({ '*': 'error' });
  expect(outcome.status).toBe('completed');
  expect([ends, ran]).toEqual([['a at run 1', 'not_recorded'], []]);
});

it('with fail the job fails and names the call', async () => {
  const { outcome, ran } = await playFork({ fetch: 'fail' });
  expect(outcome).toMatchObject({ status: 'failed', failure: { code: 'not_recorded' } });
  expect(outcome.failure!.message).toMatch(/no result of the call fetch {"what":"c"} \(\w+\)/);
  expect(ran).toEqual([]);
});

it('with nearest the call gets the result and the files of another one, and the log says so', async () => {
  const { fork, outcome, ran, ends } = await playFork({ '*': 'nearest' });
  expect(outcome.status).toBe('completed');
  expect(ends).toEqual(['a at run 1', expect.stringMatching(/belongs to another call.*\n\na at run 1$/s)]);
  const nearest = (await parent.engine.phaseEvents(fork, 2)).flatMap(({ data }) => data['nearest'] ?? []);
  expect(nearest).toMatchObject([{ jobId: parent.jobId, phase: 2 }]);
  expect(Object.keys(outcome.files)).toContain('got/a.txt');
  expect(ran).toEqual([]);
});

it('with run the tool runs for that call only', async () => {
  const { outcome, ran, ends } = await playFork({ fetch: 'run' });
  expect(outcome.status).toBe('completed');
  expect(ran).toEqual(['c']);
  expect(ends).toEqual(['a at run 1', `c at run ${parent.runs.length}`]);
});

it('in a recorded fork an inline tool that may run writes its file', async () => {
  const { engine, events } = parent;
  const answers = events.filter(({ type, streamId }) => type === 'ModelResponded' && streamId.endsWith('-2'));
  const response = {
    content: '',
    calls: [{ name: 'write_file', arguments: { path: 'output/b.md', content: 'mine' } }],
  };
  const unrecorded = { write_file: 'run' } as const;
  const fork = await parent.fork({ position: answers[1]!.position, mode: 'recorded', response, unrecorded });
  await engine.run(fork);
  expect(Object.keys((await outcomeOf(fork)).files)).toContain('output/b.md');
  expect((await checkJob(opened.store, fork, { tools: engine.tools })).differences).toEqual([]);
  expect(await findChainProblems()).toEqual([]);
});

it.each([
  [{ write_file: 'run', delete_all: 'error' }, 'no tool named delete_all'],
  [{ '*': 'run', fetch: 'run', danger: 'run' }, 'set another policy for danger.'],
  [{ '*': 'run' }, 'set another policy for danger.'],
])('%j is refused with the name of the tool', async (unrecorded, message) => {
  const agent = { tools: { workspace: ['write_file'], strategic: [], tactical: [], domain: ['fetch', 'danger'] } };
  const { definition } = await parent.engine.loadJob(parent.jobId);
  const changed = { ...definition, agent: { ...definition.agent, ...agent } };
  const request = {
    position: positionOf(parent.events, 'PhaseStarted', 1),
    mode: 'recorded',
    definition: changed,
  } as const;
  const refused = parent.fork({ ...request, unrecorded: unrecorded as Unrecorded });
  await expect(refused).rejects.toThrow(ForkInvalid);
  await expect(refused).rejects.toThrow(message);
});

it('a live fork has no unrecorded results', async () => {
  const position = positionOf(parent.events, 'PhaseStarted', 1);
  await expect(parent.fork({ position, unrecorded: { fetch: 'run' } })).rejects.toThrow(
    /a live fork replays no results/,
  );
});
