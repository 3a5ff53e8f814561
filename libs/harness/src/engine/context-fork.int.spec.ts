import { countPromptTokens, countSharedTokens } from '@phaseline/context';
import type { ChatRequest, JobId } from '@phaseline/contracts';
import type { JobDefinition } from '@phaseline/domain';
import type { ConfiguredModel } from '@phaseline/execution';
import { modelProfileSchema } from '@phaseline/model';
import { billJob } from '@phaseline/what-if';
import { describe, expect, it } from 'vitest';
import { toChatAnswer, type Policy } from './engine.js';
import { positionOf, toolsWith, useForks } from './fork.fixture.js';
import { call, createThreePhasePolicy, parsePrompt } from './scripts.js';

const { opened, playJob, forkJob, outcomeOf } = useForks();

/** What the tokenizer of the server counts for one token of ours: a whole number, so that nothing is rounded. */
const SERVER_TOKENS = 2;
const ROUNDS = 14;

/** A model whose server keeps prompts in a cache and counts in its own tokens. */
function createCachingModel(policy: Policy): ConfiguredModel {
  let earlier: ChatRequest | undefined;
  const profile = modelProfileSchema.parse({
    name: 'default',
    model: 'caching',
    maxOutputTokens: 1_000,
    prices: { inputUsdPerMillion: 2, cachedInputUsdPerMillion: 0.2, outputUsdPerMillion: 8 },
  });
  return {
    profile,
    contextTokens: 100_000,
    model: {
      complete: async (request, { signal }) => {
        const isSummary = request.tools.length === 0;
        const shared = earlier && !isSummary ? countSharedTokens(earlier, request) : 0;
        if (!isSummary) earlier = request;
        const usage = {
          inputTokens: countPromptTokens(request) * SERVER_TOKENS,
          cachedInputTokens: shared * SERVER_TOKENS,
          outputTokens: 20,
          estimated: false,
        };
        return toChatAnswer({ ...(await policy(request, signal)), usage });
      },
    },
  };
}

/** Reads parts of a long file. Its answers do not depend on what has been cleared. */
const createReader = (): Policy => {
  let round = 0;
  return createThreePhasePolicy((request) => {
    if (request.tools.length === 0) return { content: 'It read some parts.' };
    if (parsePrompt(request).turn === 0 && round > ROUNDS) round = 0;
    round += 1;
    if (round > ROUNDS) return call('todo_complete');
    // A remote call, after which another run of the worker continues.
    if (round === 7) return call('fetch', { what: 'a' });
    return call('read_file', { path: 'long.md', from_line: round, to_line: round });
  });
};

const files = [
  {
    path: 'long.md',
    content: Buffer.from(
      Array.from({ length: ROUNDS }, (_, n) => `${n} the service keeps records `.repeat(120)).join('\n'),
    ),
  },
];
const base = { keepResults: 5, clearTokens: 100_000, summariseTokens: 80_000, todoList: 'last' as const };

const play = (context: typeof base) =>
  playJob(undefined, {
    model: createCachingModel(createReader()),
    files,
    agent: { tools: toolsWith('fetch'), context },
  });

async function forkWith(
  { engine, jobId, events }: Awaited<ReturnType<typeof play>>,
  context: typeof base,
): Promise<JobId> {
  const { definition } = await engine.loadJob(jobId);
  const other: JobDefinition = { ...definition, agent: { ...definition.agent, context } };
  const position = positionOf(events, 'PhaseStarted', 1);
  const fork = await forkJob(engine, jobId, { position, mode: 'recorded', definition: other });
  await engine.run(fork);
  return fork;
}

const countEvents = async (jobId: JobId, type: string): Promise<number> =>
  (await opened.store.readCorrelation(jobId)).filter((event) => event.type === type).length;

describe('a recorded fork with other settings of its context', () => {
  it('clears results and costs as a job with these settings does, not as the recording did', async () => {
    const often = { ...base, clearTokens: 500 };
    const [rare, frequent] = [await play(base), await play(often)];
    const [before, expected] = [await outcomeOf(rare.jobId), await outcomeOf(frequent.jobId)];
    // Fewer tokens, but each clearing makes the server read the conversation again at the full price.
    expect(expected.total.inputTokens).toBeLessThan(before.total.inputTokens);
    expect(expected.total.costMicroUsd).toBeGreaterThan(before.total.costMicroUsd);
    const fork = await forkWith(rare, often);
    expect(await countEvents(fork, 'ToolResultsCleared')).toBe(await countEvents(frequent.jobId, 'ToolResultsCleared'));
    expect((await outcomeOf(fork)).total).toEqual(expected.total);
    const back = await forkWith(frequent, base);
    expect(await countEvents(back, 'ToolResultsCleared')).toBe(0);
    expect((await outcomeOf(back)).total).toEqual(before.total);
  });

  it('summarises with the nearest recorded summary, and says so where there is none', async () => {
    const short = { ...base, summariseTokens: 5_000 };
    const [whole, summarised] = [await play(base), await play(short)];
    const expected = await outcomeOf(summarised.jobId);
    const summaries = await countEvents(summarised.jobId, 'ConversationSummarised');
    expect(summaries).toBeGreaterThan(0);
    const longer = await forkWith(summarised, { ...short, summariseTokens: 7_000 });
    const made = await countEvents(longer, 'ConversationSummarised');
    expect(made).toBeGreaterThan(0);
    expect(made).toBeLessThan(summaries);
    expect((await outcomeOf(longer)).total.inputTokens).toBeGreaterThan(expected.total.inputTokens);
    const without = await forkWith(whole, short);
    expect(await countEvents(without, 'SummaryNotRecorded')).toBeGreaterThan(0);
    expect((await outcomeOf(without)).total).toEqual((await outcomeOf(whole.jobId)).total);
  });
});

describe('a bill', () => {
  const signal = new AbortController().signal;

  it('says to the digit what a job would have cost with other settings of its context, and appends nothing', async () => {
    const often = { clearTokens: 500 };
    const [rare, frequent] = [await play(base), await play({ ...base, ...often })];
    const events = (await opened.store.readCorrelation(rare.jobId)).length;
    const { total: before } = await outcomeOf(rare.jobId);
    const { total: expected } = await outcomeOf(frequent.jobId);
    const bill = await billJob(opened.store, rare.jobId, { context: often }, { tools: rare.engine.tools, signal });
    const pick = ({ inputTokens, cachedInputTokens, outputTokens, costMicroUsd }: typeof before) => ({
      ...{ inputTokens, cachedInputTokens, outputTokens, costMicroUsd },
    });
    expect(bill).toMatchObject({ recorded: pick(before), changed: pick(expected) });
    expect((await opened.store.readCorrelation(rare.jobId)).length).toBe(events);
  });

  it('at other prices, counts the same tokens, with a band for another tokeniser', async () => {
    const { jobId, engine } = await play(base);
    const prices = { inputUsdPerMillion: 4, cachedInputUsdPerMillion: 0.4, outputUsdPerMillion: 16 };
    const bill = await billJob(opened.store, jobId, { prices }, { tools: engine.tools, signal });
    const { recorded, changed, band = [0, 0] } = 'recorded' in bill ? bill : expect.fail(bill.reason);
    expect(changed).toEqual({ ...recorded, costMicroUsd: expect.any(Number) });
    // Twice the prices; each call is rounded up.
    expect(changed.costMicroUsd).toBeLessThanOrEqual(recorded.costMicroUsd * 2);
    expect(changed.costMicroUsd).toBeGreaterThan(recorded.costMicroUsd * 2 - recorded.calls);
    expect(band[0]).toBeLessThanOrEqual(changed.costMicroUsd);
    expect(band[1]).toBeGreaterThanOrEqual(changed.costMicroUsd);
  });
});
