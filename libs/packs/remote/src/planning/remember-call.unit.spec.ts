import { planningSettingsSchema } from '@phaseline/contracts';
import { StagedWorkspace } from '@phaseline/workspace';
import { openSession, planRequestSchema, planSessionSchema } from '@phaseline/planning';
import { expect, it } from 'vitest';
import { rememberCall } from './remember-call.js';
import { buildAnswer, writeJson } from './write-answer.js';

const request = planRequestSchema.parse({ goal: 'Learn to sail', user: 'ada' });
const SESSION = openSession(request, {
  user: 'ada',
  today: '2027-01-04',
  patterns: [],
  goalId: 'goal-1',
  settings: planningSettingsSchema.parse({}),
});

/** A workspace with a tool that writes what it is given, and counts how often it ran. */
function openCounting() {
  const workspace = new StagedWorkspace({}, { get: async () => undefined });
  const put = (path: string, value: object) => workspace.stage([writeJson(path, value)], new Date(0));
  put('plan/session.json', planSessionSchema.parse(SESSION));
  put('plan/context.json', { version: 1 });
  put('plan/outline.json', {});
  const counter = { runs: 0 };
  const start = (input: { readonly dependencies: readonly string[] }) =>
    rememberCall('dependency_resolver', { workspace }, input, async () => {
      counter.runs += 1;
      const answer = { confidence: 0.9, explanations: ['Checked.'], data: input };
      return buildAnswer(answer, [writeJson('plan/dependencies.json', input)]);
    });
  const record = async (outcome: Awaited<ReturnType<typeof start>>) => {
    const { files = [] } = outcome.rebase ? await outcome.rebase(workspace) : outcome;
    workspace.stage(files, new Date(0));
    return outcome.result;
  };
  return {
    workspace,
    put,
    counter,
    start,
    call: async (...ids: string[]) => record(await start({ dependencies: ids })),
    record,
  };
}

it('a repeated call is not computed again', async () => {
  const { call, counter } = openCounting();
  expect(await call('a')).toEqual({ ok: true, confidence: 0.9, explanations: ['Checked.'] });
  expect(await call('a')).toMatchObject({ ok: true, memo: true });
  expect(counter.runs).toBe(1);
});

it('a call with other arguments, another policy or another artifact is computed', async () => {
  const { call, counter, put } = openCounting();
  await call('a');
  await call('b');
  expect(counter.runs).toBe(2);
  put('plan/context.json', { version: 2 });
  await call('b');
  expect(counter.runs).toBe(3);
  put('plan/session.json', { ...SESSION, policy: { ...SESSION.policy, talkativeness: 1 } });
  await call('b');
  expect(counter.runs).toBe(4);
  await call('b');
  expect(counter.runs).toBe(4);
});

it('A, B, A has A in place at the end', async () => {
  const { call, counter, workspace } = openCounting();
  await call('a');
  const { hash } = workspace.tree['plan/dependencies.json']!;
  await call('b');
  await call('a');
  expect(counter.runs).toBe(3);
  expect(workspace.tree['plan/dependencies.json']!.hash).toBe(hash);
});

it('calls that run side by side are both remembered', async () => {
  const { start, record, call, counter } = openCounting();
  const started = await Promise.all([start({ dependencies: ['a'] }), start({ dependencies: ['b'] })]);
  for (const outcome of started) await record(outcome);
  expect(await call('b')).toMatchObject({ memo: true });
  expect(counter.runs).toBe(2);
});
