import { describe, expect, it, onTestFinished } from 'vitest';
import { countTokens } from '@phaseline/context';
import type { ReasoningMode } from '@phaseline/contracts';
import { Engine } from './engine.js';
import { useStore } from './use-store.fixture.js';
import { call, createThreePhasePolicy, parsePrompt } from './scripts.js';
import { WireServer, type SentRequest } from './wire-server.js';

const opened = useStore();

const STEPS = 20;
const CONTEXT_TOKENS = 12_000;
/** About 1,500 tokens per answer, so that 20 steps far exceed the context. */
const REASONING = 'I weigh what to do next. '.repeat(250);

/** Runs a job whose tactical phase takes 20 steps, each with long reasoning and a small call. */
async function runThinkingJob(
  sendBack: ReasoningMode,
  {
    reasoning = () => REASONING,
    contextTokens = CONTEXT_TOKENS,
    clearTokens = 12_000,
  }: { reasoning?: (turn: number) => string; contextTokens?: number; clearTokens?: number } = {},
) {
  let steps = 0;
  const policy = createThreePhasePolicy(() => {
    steps += 1;
    return steps <= STEPS
      ? call('write_file', { path: `notes/${steps}.md`, content: `finding ${steps}` })
      : call('todo_complete');
  });
  const server = await WireServer.start(policy, {
    contextTokens,
    profile: { maxOutputTokens: 3_000, reasoning: { sendBack } },
    // The request for a summary offers no tools.
    reasoning: (request) =>
      request.tools.length > 0 && parsePrompt(request).kind === 'tactical' ? reasoning(steps) : '',
  });
  onTestFinished(() => server.close());
  const context = { keepResults: 5, clearTokens, summariseTokens: 80_000, todoList: 'after-system' as const };
  const engine = new Engine({ store: opened.store, policy, model: server.model, retries: 0, agent: { context } });
  const jobId = await engine.submitAndRun();
  const job = await engine.loadJob(jobId);
  return { server, job, events: await engine.phaseEvents(jobId, 2) };
}

/** Counts the tokens of the conversation as sent, in the same way as the token ledger. */
function countConversationTokens({ messages }: SentRequest): number {
  return messages
    .filter(({ role }) => role !== 'system')
    .reduce((sum, message) => {
      const calls = (message.tool_calls ?? []).map(
        ({ function: { name, arguments: args } }) => 4 + countTokens(name) + countTokens(args),
      );
      const reasoning = message.reasoning_content ? countTokens(message.reasoning_content) : 0;
      return calls.reduce((so, tokens) => so + tokens, sum + 4 + countTokens(message.content ?? '') + reasoning);
    }, 0);
}

const MODES: readonly ReasoningMode[] = ['never', 'between-calls', 'with-calls'];

describe('a model whose reasoning exceeds its context', () => {
  it.each(MODES)('continues as long as the messages sent fit, with reasoning sent back: %s', async (mode) => {
    const { server, job, events } = await runThinkingJob(mode);
    expect(job.failure).toBeUndefined();
    expect(job.status).toBe('completed');
    expect(events.filter(({ type }) => type === 'ModelResponded')).toHaveLength(STEPS + 1);
    const carried = server.requests.flatMap(({ messages }) => messages.map((sent) => sent.reasoning_content ?? ''));
    expect(carried.some((text) => text !== '')).toBe(mode !== 'never');
    // Reasoning takes up context only if it is sent back; it must then be cleared in time.
    expect(events.some(({ type }) => type === 'ReasoningCleared' || type === 'ConversationSummarised')).toBe(
      mode !== 'never',
    );
  });

  it.each(MODES)('is counted as it is sent, layer by layer: %s', async (mode) => {
    const { server, events } = await runThinkingJob(mode);
    const started = events.filter(({ type }) => type === 'ModelCallStarted').map(({ data }) => data);
    const tactical = server.requests.filter(
      ({ messages, tools = [] }) => tools.length === 0 || /a tactical phase/.test(messages[0]?.content ?? ''),
    );
    expect(tactical).toHaveLength(started.length);
    for (const [index, data] of started.entries()) {
      const layers = data['layers'] as Record<string, number>;
      expect(layers['conversation']).toBe(countConversationTokens(tactical[index]!));
      expect(Object.values(layers).reduce((sum, tokens) => sum + tokens, 0)).toBe(data['inputTokens']);
      expect(Number(data['inputTokens']) + tactical[index]!.max_tokens).toBeLessThanOrEqual(CONTEXT_TOKENS);
    }
  });

  it('loses even the reasoning of its last answer before it would fail', async () => {
    // Only the first answer has reasoning, so that nothing older can be shortened.
    const first = 'I weigh it. '.repeat(740);
    const { job, events, server } = await runThinkingJob('with-calls', {
      reasoning: (turn) => (turn === 1 ? first : ''),
      contextTokens: 4_096,
    });
    expect(job.status).toBe('completed');
    expect(events.filter(({ type }) => type === 'ReasoningCleared').map(({ data }) => data)).toEqual([
      { upToStep: 1, tokens: countTokens(first) },
    ]);
    expect(server.requests.flatMap(({ messages }) => messages.map((sent) => sent.reasoning_content))).not.toContain(
      first,
    );
  });

  it('sends empty reasoning in place of cleared reasoning for servers that require the field', async () => {
    const { server, events } = await runThinkingJob('with-calls', { clearTokens: 2_000, contextTokens: 24_000 });
    const answers = server.requests.flatMap(({ messages }) =>
      messages.filter(({ role, tool_calls }) => role === 'assistant' && tool_calls),
    );
    expect(answers.every(({ reasoning_content }) => typeof reasoning_content === 'string')).toBe(true);
    expect(answers.some(({ reasoning_content }) => reasoning_content === '')).toBe(true);
    // Clearing is rare and removes many results together; the reasoning after the latest results is kept.
    const cleared = events.filter(({ type }) => type === 'ReasoningCleared');
    expect(cleared.length).toBeGreaterThan(1);
    expect(cleared.length).toBeLessThan(STEPS / 2);
    expect(events.some(({ type }) => type === 'ConversationSummarised')).toBe(false);
  });
});
