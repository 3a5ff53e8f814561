import { reasoningModes, type ChatMessage, type ReasoningMode, type ToolDefinition } from '@phaseline/contracts';
import { type PhaseState } from '@phaseline/domain';
import * as fc from 'fast-check';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { buildPrompt, hashRequest } from './build-prompt.js';
import { selectResultsToClear } from './clear-results.js';
import { happeningsArbitrary, RandomPhase, TODOS } from './random-transcript.fixture.js';
import { planSummary } from './summarise.js';

const tools: ToolDefinition[] = [
  { name: 'fetch', description: 'Fetches a page.', parameters: { type: 'object' } },
  {
    name: 'read_file',
    description: 'Reads.',
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
];
const promptOf = (state: PhaseState, reasoning: ReasoningMode = 'never') =>
  buildPrompt({ state, tools, workspaceMemory: 'memory of the job', maxOutputTokens: 100, reasoning });
const textOf = (messages: readonly ChatMessage[]): string => messages.map(({ content }) => content).join('\n');

/** Runs random phases and calls `check` after every event. */
function checkEveryPrompt(check: (phase: RandomPhase) => void, runs = 25): void {
  fc.assert(
    fc.property(
      happeningsArbitrary,
      fc.constantFrom('after-system' as const, 'last' as const),
      fc.constantFrom(...reasoningModes),
      (list, todoList, mode) => {
        const phase = new RandomPhase({ todoList }, mode);
        for (const happening of list) {
          phase.happen(happening);
          check(phase);
        }
      },
    ),
    { numRuns: runs, endOnFailure: true },
  );
}

describe('clearing and summarising', () => {
  it('keeps the system prompt with the reference to the task, the memory, and every todo with its note', () => {
    checkEveryPrompt(({ state }) => {
      const { messages } = promptOf(state).request;
      expect(messages[0]?.role).toBe('system');
      expect(messages[0]?.content).toContain('instructions.md');
      expect(messages[0]?.content).toContain('memory of the job');
      const box = messages.find(({ content }) => content.includes('ACTIVE TODO LIST'))!;
      for (const [index, content] of TODOS.entries()) {
        expect(box.content).toContain(`${index + 1}. ${content}`);
        if (state.todos.list[index]!.status === 'done') expect(box.content).toContain(`noted of ${index + 1}`);
      }
    });
  });

  it('keeps messages and decisions of people verbatim, exactly once', () => {
    checkEveryPrompt(({ state, decisions }) => {
      const text = textOf(promptOf(state).request.messages);
      for (const decision of decisions) expect(text.split(decision)).toHaveLength(2);
    });
  });

  it('keeps a call that waits for approval in its place', () => {
    fc.assert(
      fc.property(happeningsArbitrary, fc.integer({ min: 100, max: 3_000 }), (list, limit) => {
        const phase = new RandomPhase();
        for (const happening of list) phase.happen(happening);
        const callId = phase.askForApproval();
        const entriesBefore = phase.state.conversation.transcript.length;
        expect(planSummary(phase.state, limit, hashRequest)?.entries ?? 0).toBeLessThan(entriesBefore);
        expect(selectResultsToClear(phase.state)?.callIds ?? []).not.toContain(callId);
        phase.happen({ kind: 'summarise', limit });
        phase.happen({ kind: 'clear' });
        expect(phase.state.calls.byId[callId]).toMatchObject({
          status: 'awaiting-approval',
          arguments: { of: callId },
        });
        expect(JSON.stringify(promptOf(phase.state).request.messages)).toContain(callId);
      }),
      { numRuns: 30, endOnFailure: true },
    );
  });

  it('keeps exactly one result per call, in order, and no result without its call', () => {
    checkEveryPrompt(({ state }) => {
      const open: string[] = [];
      for (const message of promptOf(state).request.messages) {
        if (message.role === 'tool') {
          expect(open.shift()).toBe(message.callId);
          continue;
        }
        expect(open).toEqual([]);
        if (message.role === 'assistant') open.push(...(message.toolCalls ?? []).map(({ id }) => id));
      }
      expect(open).toEqual([]);
    });
  });

  it('keeps the results of the last two calls of completed answers, unless the prompt would exceed the limit', () => {
    fc.assert(
      fc.property(happeningsArbitrary, (list) => {
        const phase = new RandomPhase();
        for (const happening of list.filter(({ kind }) => kind !== 'overflow' && kind !== 'summarise'))
          phase.happen(happening);
        phase.happen({ kind: 'clear' });
        const results = promptOf(phase.state).request.messages.flatMap((message) =>
          message.role === 'tool' ? [message.content] : [],
        );
        for (const result of results.slice(-2)) expect(result).toMatch(/^(result of|Call denied:)/);
      }),
      { numRuns: 30, endOnFailure: true },
    );
  });
});

describe('the ledger', () => {
  it('sums exactly, layer by layer, to the tokens of the request', () => {
    const count = (text: string): number => encode(text).length;
    checkEveryPrompt(({ state, mode }) => {
      const { request, ledger } = promptOf(state, mode);
      const { system, todos, tools: toolTokens, summary, conversation, total } = ledger;
      const sent = request.messages.reduce((sum, message) => {
        const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
        return calls.reduce(
          (of, call) => of + 4 + count(call.name) + count(call.arguments),
          sum + 4 + count(message.content) + (message.role === 'assistant' ? count(message.reasoning ?? '') : 0),
        );
      }, 0);
      const offered = request.tools.reduce(
        (sum, tool) => sum + 8 + count(tool.name) + count(tool.description) + count(JSON.stringify(tool.parameters)),
        0,
      );
      expect(total).toBe(sent + offered);
      expect(system + todos + toolTokens + summary + conversation).toBe(total);
      expect(toolTokens).toBe(offered);
      expect(summary > 0).toBe(state.conversation.summary !== undefined);
      expect(todos).toBe(
        4 + count(request.messages.find(({ content }) => content.includes('ACTIVE TODO LIST'))!.content),
      );
    }, 12);
  });
});
