import type { ChatRequest } from '@phaseline/contracts';
import { modelProfileSchema } from '@phaseline/model';
import { describe, expect, it } from 'vitest';
import { toChatAnswer, Engine, type Reply } from './engine.js';
import { call, calls, parsePrompt } from './scripts.js';
import { createAgentSource, defineAgent, REPORT, tester, write } from './state-agents.fixture.js';
import { useStore } from './use-store.fixture.js';

const opened = useStore();
const DECISION = 'Use UTC for every time, because the servers are in several zones.';
const DEFECT = 'The export of the last day of a month is empty.';
/** A result of about 600 tokens, so that a few of them exceed the limit of the conversation. */
const LONG = 'word '.repeat(600);
const LIMIT = 3_500;

const schema = {
  type: 'object',
  properties: {
    summary: { type: 'string' },
    decisions: { type: 'array', items: { type: 'string' } },
    defects: { type: 'array', items: { type: 'string' } },
  },
  required: ['summary'],
};
const coder = defineAgent('coder', {
  returns: { schema: 'schemas/return.json' },
  schemas: { 'schemas/return.json': schema },
  context: { keepResults: 5, clearTokens: 100_000, summariseTokens: LIMIT, todoList: 'after-system' },
});
const agents = createAgentSource({
  agents: [
    { definition: coder, hash: '0'.repeat(64), instructions: 'Write code.\n' },
    { definition: tester, hash: '0'.repeat(64), instructions: 'Test code.\n' },
  ],
});

const lists = (decisions: readonly string[], defects: readonly string[], settled: readonly string[] = []): string =>
  [
    'Some notes.',
    ...[
      '## Decisions',
      ...decisions.map((item) => `- ${item}`),
      '## Unresolved defects',
      ...defects.map((item) => `- ${item}`),
    ],
    ...(settled.length > 0 ? ['## Settled', ...settled.map((item) => `- ${item}`)] : []),
  ].join('\n');

const goOn = (turn: number): Reply => calls(write(`work/${turn}.txt`, LONG));
const say = (result: object, settled?: readonly string[]): [string, object] => [
  'phase_return',
  { result, ...(settled ? { settled } : {}) },
];

/** Runs a coder that is summarised three times with these texts, and then gives these answers, followed by a tester. */
async function play(summaries: readonly string[], ends: readonly [string, object][]) {
  const asked: ChatRequest[] = [];
  const prompts = new Map<number, string[]>();
  let [turns, summarised, ended] = [0, 0, 0];
  const answer = (request: ChatRequest): Reply => {
    const { phase } = parsePrompt(request);
    prompts.set(phase, [...(prompts.get(phase) ?? []), request.messages.map(({ content }) => content).join('\n\n')]);
    if (phase === 2) return calls(['read_file', { path: 'work/1.txt' }], say({ summary: 'Tested.' }));
    if (phase === 3) return REPORT[0]!;
    turns += 1;
    if (summarised < summaries.length) return goOn(turns);
    return call(...ends[Math.min(ended++, ends.length - 1)]!);
  };
  const profile = modelProfileSchema.parse({
    name: 'default',
    model: 'scripted',
    contextTokens: 50_000,
    maxOutputTokens: 1_000,
  });
  const model = {
    complete: async (request: ChatRequest) => {
      if (request.tools.length > 0) return toChatAnswer(answer(request));
      asked.push(request);
      return toChatAnswer({ content: summaries[Math.min(summarised++, summaries.length - 1)]! });
    },
  };
  const engine = new Engine({
    store: opened.store,
    policy: () => call('todo_complete'),
    agents,
    model: { profile, model, contextTokens: 50_000 },
  });
  const jobId = await engine.submitAndRun();
  const { conversation } = await engine.loadPhase(jobId, 1);
  return { engine, jobId, asked, prompts, conversation, job: await engine.loadJob(jobId) };
}

describe('a decision and a defect of the beginning of a long phase', () => {
  it('reach the next agent word for word after three summaries, of which the last two forget them', async () => {
    const { job, asked, prompts, conversation } = await play(
      [lists([DECISION], [DEFECT]), 'Only some notes.', lists([], ['none'])],
      [
        say({ summary: 'Everything is done.' }),
        say({ summary: 'Everything is done.', decisions: [DECISION], defects: [DEFECT] }),
      ],
    );
    expect(job.status).toBe('completed');
    expect(conversation.summaries).toBe(3);
    // The system asks for both lists, and shows the model what it listed before.
    for (const { messages } of asked) expect(messages[0]!.content).toMatch(/## Decisions[^]*## Unresolved defects/);
    expect(asked.at(-1)!.messages[1]!.content).toContain(DECISION);
    // A return that leaves them out is refused, with both of them.
    const last = prompts.get(1)!.at(-1)!;
    expect(last).toContain(`Not returned: your summary lists what the result does not say.`);
    expect(last).toMatch(/The result of this phase must contain its decisions and unresolved defects/);
    const [next] = prompts.get(2)!;
    expect(next).toContain(DECISION);
    expect(next).toContain(DEFECT);
  });

  it('are no longer shown or demanded once a summary or the return settles them', async () => {
    const { job, prompts, conversation } = await play(
      [lists([DECISION], [DEFECT]), lists([DECISION], [], [DEFECT]), 'Only some notes.'],
      [say({ summary: 'Everything is done.' }, [DECISION])],
    );
    expect(job.status).toBe('completed');
    expect(conversation.summary).toContain(DECISION);
    expect(conversation.summary).not.toContain(DEFECT);
    expect(prompts.get(2)![0]).not.toContain(DECISION);
  });
});
