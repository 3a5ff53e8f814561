import { readdirSync } from 'node:fs';
import type { ChatRequest, ReasoningMode } from '@phaseline/contracts';
import { modelProfileSchema } from '@phaseline/model';
import { RecordedPrompts, type RebuiltPrompt } from '@phaseline/time-travel';
import { createCachePack, createGraphPack, documentsPack } from '@phaseline/remote-packs';
import { memoryPack, todosPack, workspacePack } from '@phaseline/inline-packs';
import { ToolRegistry } from '@phaseline/tools';
import { describe, expect, it } from 'vitest';
import { loadHistory } from '../histories/history.js';
import { NO_GRAPH, replayHistory } from '../histories/replay-history.js';
import { Engine, toChatAnswer, type Policy } from './engine.js';
import { call, createThreePhasePolicy } from './scripts.js';
import { useStore } from './use-store.fixture.js';

const opened = useStore();

/** A phase long enough to clear results and to summarise the conversation, whose model reasons. */
async function playLongJob(reasoning: ReasoningMode) {
  const sent: ChatRequest[] = [];
  let turn = 0;
  const work: Policy = () => {
    turn += 1;
    if (turn > 40) return call('todo_complete');
    const path = `notes/${turn}.md`;
    const content = `finding ${turn} `.repeat(120);
    return {
      ...call(turn % 2 ? 'write_file' : 'read_file', turn % 2 ? { path, content } : { path: `notes/${turn - 1}.md` }),
      reasoning: `I think about ${turn}. `.repeat(40),
    };
  };
  const policy = createThreePhasePolicy(work);
  const profile = modelProfileSchema.parse({
    name: 'default',
    model: 'scripted',
    contextTokens: 9_000,
    maxOutputTokens: 1_000,
    reasoning: { sendBack: reasoning },
  });
  const model = {
    complete: async (request: ChatRequest, { signal }: { signal: AbortSignal }) => {
      sent.push(request);
      return toChatAnswer(request.tools.length === 0 ? { content: 'the summary' } : await policy(request, signal));
    },
  };
  const context = { keepResults: 4, clearTokens: 3_000, summariseTokens: 80_000, todoList: 'last' as const };
  const engine = new Engine({
    store: opened.store,
    policy,
    packs: [memoryPack],
    model: { profile, model, contextTokens: 9_000 },
    agent: { context },
  });
  const jobId = await engine.submitAndRun();
  return { jobId, engine, sent };
}

/** The tokens of each layer, added up over the messages and tools that are shown in it. */
function sumLayers({ request, layers, messageTokens, toolTokens }: RebuiltPrompt): object {
  expect([messageTokens.length, toolTokens.length]).toEqual([request.messages.length, request.tools.length]);
  const total = (tokens: readonly number[]): number => tokens.reduce((sum, count) => sum + count, 0);
  const sums: Record<string, number> = { system: 0, todos: 0, tools: total(toolTokens), summary: 0, conversation: 0 };
  let next = 0;
  for (const { layer, tokens, firstMessage, messageCount } of layers) {
    expect(firstMessage).toBe(next);
    next += messageCount;
    if (layer !== 'tools') sums[layer] = (sums[layer] ?? 0) + total(messageTokens.slice(firstMessage, next));
    expect(tokens).toBe(sums[layer]);
  }
  expect(next).toBe(request.messages.length);
  return sums;
}

describe('the request of every model call', () => {
  it.each(['never', 'between-calls', 'with-calls'] as const)(
    'is rebuilt from the log exactly as it was sent, with summaries, when reasoning is sent back %s',
    async (reasoning) => {
      const { jobId, engine, sent } = await playLongJob(reasoning);
      const prompts = new RecordedPrompts(opened.store, engine.tools);
      const rebuilt: ChatRequest[] = [];
      const layers: object[] = [];
      const purposes = new Set<string>();
      for (const phase of [1, 2, 3])
        for (const { step, attempt, purpose } of await prompts.list(jobId, phase)) {
          const prompt = await prompts.rebuild(jobId, phase, step, attempt);
          expect(prompt, `phase ${phase}, step ${step}`).toMatchObject({ isExact: true });
          layers.push(sumLayers(prompt!));
          purposes.add(purpose);
          rebuilt.push(prompt!.request);
        }
      expect(rebuilt).toEqual(sent);
      const recorded = (await opened.store.readCorrelation(jobId)).flatMap(({ type, data }) =>
        type === 'ModelCallStarted' ? [data['layers']] : [],
      );
      expect(layers).toEqual(recorded);
      expect(purposes).toEqual(new Set(['work', 'summary']));
    },
  );

  it('differs from the recorded one when the tools have other texts than in the release that made the call', async () => {
    const { jobId, engine } = await playLongJob('never');
    const renamed = {
      forPhase: (state: Parameters<ToolRegistry['forPhase']>[0]) => ({
        specsOf: (names: readonly string[]) =>
          engine.tools
            .forPhase(state)
            .specsOf(names)
            .map((spec) => ({ definition: { ...spec.definition, description: 'Another text.' } })),
      }),
    };
    const prompt = await new RecordedPrompts(opened.store, renamed).rebuild(jobId, 2, 1);
    expect(prompt).toMatchObject({ isExact: false, difference: 'other-release' });
    expect(prompt?.hash).not.toBe(prompt?.call.requestHash);
  });

  it('does not exist for a step that was not made', async () => {
    const { jobId, engine } = await playLongJob('never');
    const prompts = new RecordedPrompts(opened.store, engine.tools);
    expect(await prompts.rebuild(jobId, 2, 999)).toBeUndefined();
    expect(await prompts.rebuild(jobId, 99, 1)).toBeUndefined();
    expect(await prompts.rebuild(jobId, 2, 1, 9)).toBeUndefined();
    expect(await prompts.list(jobId, 99)).toEqual([]);
  });
});

const folder = new URL('../histories/recorded/', import.meta.url);
const names = readdirSync(folder).flatMap((name) => /^(.+)\.jsonl\.gz$/.exec(name)?.[1] ?? []);

it.each(names)('every request of the recorded job %s is rebuilt from its log', async (name) => {
  const history = await loadHistory(new URL(`${name}.jsonl.gz`, folder));
  const { events } = await replayHistory(history, opened.store);
  const [{ correlationId: jobId } = { correlationId: '' }] = events;
  const noHost = {
    database: { query: () => Promise.reject(new Error('no tool runs')) },
    getTenant: () => Promise.reject(new Error('no tool runs')),
  };
  const tools = new ToolRegistry([
    workspacePack,
    memoryPack,
    todosPack,
    documentsPack,
    createCachePack(noHost),
    createGraphPack(NO_GRAPH),
  ]);
  const prompts = new RecordedPrompts(opened.store, tools);
  const started = events.filter(({ type }) => type === 'ModelCallStarted');
  let count = 0;
  for (let phase = 1; count < started.length; phase += 1)
    for (const { step, attempt } of await prompts.list(jobId, phase)) {
      expect(await prompts.rebuild(jobId, phase, step, attempt)).toMatchObject({ isExact: true });
      count += 1;
    }
  expect(count).toBe(started.length);
});
