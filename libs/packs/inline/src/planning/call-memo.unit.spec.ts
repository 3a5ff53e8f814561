import { type InlineToolBench, buildPhaseState } from '@phaseline/tools/testing';
import { expect, it } from 'vitest';
import { openPlanBench } from './plan-bench.fixture.js';
import { planningPack } from './planning-pack.js';
import { makePlanningTool } from './run-planning-tool.js';

const features = { end_date: 0, recurrence: 0, cumulative_measure: 0, change_of_state: 0 };
interface Node {
  readonly id: string;
  readonly parent: string | null;
  readonly level: string;
  readonly time: string;
  readonly title: string;
  readonly estimate_minutes?: number;
}
const task = (id: string): Node => ({
  ...{ id, parent: 'p', level: 'L3', time: 'once', title: `Do ${id}`, estimate_minutes: 60 },
});
const phase: Node = { id: 'p', parent: null, level: 'L1', time: 'once', title: 'All of it' };
const nodes = (...ids: readonly string[]) => ({
  nodes: [phase, ...ids.map(task)],
  confidence: 0.9,
});

/** A plan with a pattern, in which the outline is made by a tool that counts how often it ran. */
async function openCounting(state = buildPhaseState()) {
  const counter = { runs: 0, isUsable: true };
  const run = makePlanningTool('node_generator', (work, input: ReturnType<typeof nodes>) => {
    counter.runs += 1;
    if (!counter.isUsable) throw new RangeError('Not usable.');
    const { hashes, selectedPattern: pattern } = work.session;
    const made = input.nodes.map(({ estimate_minutes, ...node }) => ({
      ...{ ...node, origin: 'system' },
      ...(estimate_minutes === undefined ? {} : { estimateMinutes: estimate_minutes }),
    }));
    const outline = { contextHash: hashes.context, pattern, nodes: made };
    work.recordArtifact('outline', outline);
    return { confidence: input.confidence, explanations: ['Made.'], data: outline };
  });
  const tools = planningPack.tools.map((tool) =>
    tool.name === 'node_generator' && tool.lane === 'inline' ? { ...tool, run: run as typeof tool.run } : tool,
  );
  const bench = await openPlanBench(
    { goal: 'Learn to sail', user: 'ada' },
    { pack: { ...planningPack, tools }, state },
  );
  await bench.run('pattern_selector', { features, confidence: 0.9 });
  return { bench, counter };
}

/** Changes the session as another call would. */
async function changeSession(bench: InlineToolBench, change: (session: Record<string, object>) => object) {
  const session = JSON.parse(await bench.readText('plan/session.json')) as Record<string, object>;
  bench.put('plan/session.json', JSON.stringify({ ...session, ...change(session) }));
}

it('a repeated call is not computed again, says so, and changes nothing', async () => {
  const { bench, counter } = await openCounting();
  const first = await bench.run('node_generator', nodes('a'));
  const second = await bench.run('node_generator', nodes('a'));
  expect(counter.runs).toBe(1);
  expect(first.result).not.toHaveProperty('memo');
  expect(second).toEqual({
    content: JSON.stringify({ ...(JSON.parse(first.content) as object), memo: true }),
    result: { ...first.result, memo: true },
  });
});

it('a call with other arguments, another policy, another artifact, model or prompt is computed', async () => {
  const { bench, counter } = await openCounting();
  await bench.run('node_generator', nodes('a'));
  await bench.run('node_generator', nodes('b'));
  expect(counter.runs).toBe(2);
  await changeSession(bench, ({ policy }) => ({ policy: { ...policy, talkativeness: 1 } }));
  await bench.run('node_generator', nodes('b'));
  expect(counter.runs).toBe(3);
  await bench.run('context_elicitor', { end: '2030-01-01', confidence: 0.9 });
  await bench.run('node_generator', nodes('b'));
  expect(counter.runs).toBe(4);
  await bench.run('node_generator', nodes('b'));
  expect(counter.runs).toBe(4);
  bench.put('instructions.md', 'Plan backwards.');
  await bench.run('node_generator', nodes('b'));
  expect(counter.runs).toBe(5);

  const other = await openCounting(buildPhaseState({ terms: { model: 'other' } }));
  const memo = await bench.readText('plan/memo.json');
  other.bench.put('instructions.md', 'Plan backwards.');
  for (const path of ['session', 'context', 'outline'])
    other.bench.put(`plan/${path}.json`, await bench.readText(`plan/${path}.json`));
  other.bench.put('plan/memo.json', memo);
  await other.bench.run('node_generator', nodes('b'));
  expect(other.counter.runs).toBe(1);
});

it('A, B, A has A in place at the end, and not B', async () => {
  const { bench, counter } = await openCounting();
  await bench.run('node_generator', nodes('a'));
  const outline = await bench.readText('plan/outline.json');
  await bench.run('node_generator', nodes('b'));
  expect(await bench.readText('plan/outline.json')).not.toBe(outline);
  expect((await bench.run('node_generator', nodes('a'))).result).not.toHaveProperty('memo');
  expect(counter.runs).toBe(3);
  expect(await bench.readText('plan/outline.json')).toBe(outline);
});

it('a draft that is to follow words of the person is computed, although its arguments are the same', async () => {
  const { bench, counter } = await openCounting();
  await bench.run('node_generator', nodes('a'));
  await changeSession(bench, () => ({ hasFeedback: true as unknown as object }));
  await bench.run('node_generator', nodes('a'));
  expect(counter.runs).toBe(2);
});

it('a result that was not ok is not remembered', async () => {
  const { bench, counter } = await openCounting();
  counter.isUsable = false;
  const failed = await bench.run('node_generator', nodes('a'));
  expect(failed.result).toMatchObject({ ok: false });
  await bench.run('node_generator', nodes('a'));
  expect(counter.runs).toBe(2);
});

const line = 'A boat that floats.';
const options = ['a', 'b', 'c'].map((id) => ({ id, title: id, description: line }));

it.each([
  ['context_elicitor', { end: '2030-01-01', questions: [{ text: 'How long?', assumption: 'An hour.' }] }],
  ['brainstormer', { ideas: [{ title: line, description: line }] }],
  ['pattern_selector', { features }],
  ['node_generator', nodes('a')],
  ['grammar_validator', {}],
  ['option_crafter', { options }],
  ['summarizer', { text: line, call_to_action: 'Reply.' }],
])('%s answers from the memo, and the plan is the same as after its first call', async (tool, args) => {
  const bench = await openPlanBench({
    ...{ goal: 'Learn to sail', user: 'ada' },
    policy: { brainstormingPreference: 'always_offer', talkativeness: 1, conversationStyle: 'coach' },
  });
  await bench.run('pattern_selector', { features, confidence: 0.8 });
  await bench.run('node_generator', nodes('a', 'b'));
  await changeSession(bench, () => ({ stage: 'outline' as unknown as object }));
  const first = await bench.run(tool, { ...args, confidence: 0.9 });
  expect(first.result).toMatchObject({ ok: true });
  const files = await Promise.all(['session', 'memo'].map((name) => bench.readText(`plan/${name}.json`)));
  const second = await bench.run(tool, { ...args, confidence: 0.9 });
  expect(second.result).toMatchObject({ ok: true, memo: true });
  expect(await Promise.all(['session', 'memo'].map((name) => bench.readText(`plan/${name}.json`)))).toEqual(files);
});

it('what a person says counts each time', async () => {
  const bench = await openPlanBench({ goal: 'Learn to sail', user: 'ada' });
  const words = { overrides: { talkativeness: 0 }, words: 'be brief', confidence: 0.9 };
  for (const _ of [1, 2]) {
    const { events, result } = await bench.run('preference_probe', words);
    expect(events?.map(({ type }) => type)).toContain('PolicyOverridden');
    expect(result).not.toHaveProperty('memo');
  }
});
