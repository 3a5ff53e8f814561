import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  agentDefinitionSchema,
  foldPhase,
  type ContextSettings,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import { buildModelCallStarted, buildPhaseStart } from '@phaseline/domain/testing';
import { buildPrompt, hashRequest } from './build-prompt.js';
import { selectResultsToClear } from './clear-results.js';
import { countTokens } from './count-tokens.js';
import { planSummary, computeSummaryLimit } from './summarise.js';

const agent = agentDefinitionSchema.parse({ name: 'tester', displayName: 'Tester', tools: {} });
const usage = { inputTokens: 7, cachedInputTokens: 0, outputTokens: 3, estimated: false };

function start(context: Partial<ContextSettings>): PhaseEvent {
  return buildPhaseStart({
    terms: { context: { ...agent.context, ...context } },
    plan: {
      todos: [
        { id: 1, content: 'First todo', status: 'done', note: 'decided to use edition two' },
        { id: 2, content: 'Second todo', status: 'open' },
      ],
    },
  });
}

/** A step with one call that returns `result`. */
function step(number: number, result: string): PhaseEvent[] {
  const callId = `c${number}`;
  return [
    {
      type: 'ModelResponded',
      data: {
        step: number,
        model: 'm',
        content: `thought ${number}`,
        calls: [{ callId, name: 'fetch', arguments: { number } }],
        end: 'calls',
        usage,
        costMicroUsd: 1,
        durationMs: 1,
      },
    },
    {
      type: 'ToolCallRequested',
      data: {
        callId,
        step: number,
        name: 'fetch',
        arguments: { number },
        lane: 'remote',
        effect: 'pure',
        traits: [],
        timeoutMs: 1_000,
      },
    },
    { type: 'ToolCallCompleted', data: { callId, content: result, attempts: 1, durationMs: 1 } },
  ];
}
const steps = (count: number, result: (number: number) => string): PhaseEvent[] =>
  Array.from({ length: count }, (_, index) => step(index + 1, result(index + 1))).flat();
const promptOf = (state: PhaseState) =>
  buildPrompt({ state, tools: [], workspaceMemory: 'memory', maxOutputTokens: 100 });
const steered: PhaseEvent[] = [
  { type: 'PhaseSteered', data: { actor: 'ada', message: 'Mind the appendix.' } },
  buildModelCallStarted(1),
];
const long = (number: number): string => `result ${number} `.repeat(100);

describe('clearing old results', () => {
  it('waits until enough can be saved, then clears all but the latest results together', () => {
    const context = { keepResults: 2, clearTokens: 1_000 };
    expect(selectResultsToClear(foldPhase([start(context), ...steps(4, long)])!)).toBeUndefined();
    const clearing = selectResultsToClear(foldPhase([start(context), ...steps(10, long)])!)!;
    expect(clearing.callIds).toEqual(['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7', 'c8']);
  });

  it('saves the announced tokens, keeps one result per call, and does not clear the same result twice', () => {
    const before = foldPhase([start({ keepResults: 2, clearTokens: 1_000 }), ...steps(10, long)])!;
    const { callIds, tokens } = selectResultsToClear(before)!;
    const after = foldPhase([{ type: 'ToolResultsCleared', data: { callIds: [...callIds], tokens } }], before)!;
    const saved = promptOf(before).ledger.total - promptOf(after).ledger.total;
    expect(Math.abs(saved - tokens)).toBeLessThan(callIds.length * 5);
    const results = promptOf(after).request.messages.filter((message) => message.role === 'tool');
    expect(results.map(({ callId }) => callId)).toEqual(Array.from({ length: 10 }, (_, index) => `c${index + 1}`));
    expect(results[0]!.content).toContain(`${long(1).length} characters`);
    expect(results[9]!.content).toBe(long(10));
    expect(selectResultsToClear(after)).toBeUndefined();
  });

  it('folds to the same state in one pass and event by event in a long conversation', () => {
    const history = [start({ keepResults: 1, clearTokens: 500 }), ...steps(200, long)];
    const state = foldPhase(history)!;
    const { callIds, tokens } = selectResultsToClear(state)!;
    const cleared: PhaseEvent = { type: 'ToolResultsCleared', data: { callIds: [...callIds], tokens } };
    const more = step(201, long(201));
    const oneByOne = [...history, cleared, ...more].reduce<PhaseState | undefined>(
      (so, event) => foldPhase([event], so),
      undefined,
    );
    expect(foldPhase([...history, cleared, ...more])).toEqual(oneByOne);
  });
});

describe('summarising', () => {
  const plan = (state: PhaseState, limit: number) => planSummary(state, limit, hashRequest);
  const summarised = (state: PhaseState, entries: number): PhaseState =>
    foldPhase(
      [
        {
          type: 'ConversationSummarised',
          data: { step: 9, model: 'm', summary: 'SUMMARY', entries, usage, costMicroUsd: 5, durationMs: 1 },
        },
      ],
      state,
    )!;

  it('happens at the setting or at the model limit, whichever is lower', () => {
    const state = foldPhase([start({ summariseTokens: 80_000 })])!;
    expect(computeSummaryLimit(state, 200_000, 8_192)).toBe(80_000);
    expect(computeSummaryLimit(state, 32_768, 8_192)).toBe(24_576);
    expect(computeSummaryLimit(state, 1_000, 8_192)).toBe(750);
  });

  it('has nothing to do if there is only the last exchange', () => {
    expect(plan(foldPhase([start({}), ...steps(1, long)])!, 10)).toBeUndefined();
  });

  it('requests a summary of the older part that fits the limit and includes the previous summary', () => {
    const state = summarised(foldPhase([start({}), ...steps(3, long)])!, 1);
    const more = foldPhase(steps(60, long).slice(9), state)!;
    const { prompt, entries } = plan(more, 4_000)!;
    expect(prompt.ledger.total).toBeLessThanOrEqual(4_000);
    expect(prompt.request.messages.at(-1)!.content).toContain('SUMMARY');
    expect(entries).toBeGreaterThan(10);
  });

  it('counts its cost, but no step', () => {
    const before = foldPhase([start({}), ...steps(5, long)])!;
    const after = summarised(before, 3);
    expect(after.money.spending).toMatchObject({
      steps: before.money.spending.steps,
      costMicroUsd: before.money.spending.costMicroUsd + 5,
      inputTokens: before.money.spending.inputTokens + 7,
    });
  });

  it('keeps open todos, notes of done ones, messages of people and calls with their results, and the prompt fits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 2, maxLength: 25 }),
        fc.nat(25),
        fc.integer({ min: 1_500, max: 8_000 }),
        (lengths, steeredAt, limit) => {
          const events = lengths.flatMap((length, index) => [
            ...(index === steeredAt ? steered : []),
            ...step(index + 1, 'word '.repeat(length)),
          ]);
          const before = foldPhase([start({}), ...events])!;
          const found = plan(before, limit);
          if (!found) return;
          const after = summarised(before, found.entries);
          const { messages } = promptOf(after).request;
          const text = messages.map(({ content }) => content).join('\n');
          expect(text).toContain('Second todo');
          expect(text).toContain('decided to use edition two');
          expect(text).toContain('instructions.md');
          expect(text).toContain('SUMMARY');
          if (steeredAt < lengths.length) expect(text).toContain('Mind the appendix.');
          const asked = messages.flatMap((message) =>
            message.role === 'assistant' ? (message.toolCalls ?? []).map(({ id }) => id) : [],
          );
          const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : []));
          expect(answered).toEqual(asked);
          expect(asked.at(-1)).toBe(`c${lengths.length}`);
          const last = countTokens('word '.repeat(lengths.at(-1)!));
          const fixed = promptOf(foldPhase([start({})])!).ledger.total;
          expect(promptOf(after).ledger.total).toBeLessThan(fixed + Math.max(limit * 0.25, last) + 500);
        },
      ),
      { numRuns: 30, endOnFailure: true },
    );
  });
});

describe('the todo list', () => {
  it('comes last if the agent is configured so', () => {
    const events = [start({ todoList: 'last' }), ...steps(2, () => 'x')];
    expect(promptOf(foldPhase(events)!).request.messages.at(-1)!.content).toContain('ACTIVE TODO LIST');
  });
});
