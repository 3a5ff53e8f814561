import { describe, expect, it } from 'vitest';
import { foldPhase, type PhaseEvent, type PhaseEventData } from '@phaseline/domain';
import { buildPhaseStart, type StartChanges } from '@phaseline/domain/testing';
import { buildPrompt } from './build-prompt.js';

function start(changes: StartChanges = {}): PhaseEvent {
  return buildPhaseStart({
    ...changes,
    identity: {
      phase: 2,
      name: 'Extract',
      agent: { name: 'tester', displayName: 'Tester', description: 'Tests things.' },
      ...changes.identity,
    },
    terms: { tools: ['fetch'], ...changes.terms },
    plan: {
      todos: [
        { id: 1, content: 'First', status: 'done' },
        { id: 2, content: 'Second', status: 'open' },
      ],
      deliverables: ['output/a.md'],
      ...changes.plan,
    },
  });
}
const usage = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 1, estimated: false };
const answer = (step: number, calls: PhaseEventData<'ModelResponded'>['calls'], content = ''): PhaseEvent => ({
  type: 'ModelResponded',
  data: { step, model: 'm', content, calls, end: 'calls', usage, costMicroUsd: 0, durationMs: 0 },
});
const build = (events: PhaseEvent[], workspaceMemory?: string) =>
  buildPrompt({
    state: foldPhase(events)!,
    tools: [{ name: 'fetch', description: 'Fetches.', parameters: { type: 'object' } }],
    workspaceMemory,
    maxOutputTokens: 100,
  });

describe('buildPrompt', () => {
  it('starts with the system prompt and the memory, then the todo list, then the conversation', () => {
    const { request } = build([start()], 'The document is in German.');
    expect(request.messages.map((message) => message.role)).toEqual(['system', 'system', 'user']);
    expect(request.messages[0]?.content).toMatch(
      /agent "tester".*phase 2, a tactical phase.*The document is in German\./s,
    );
    expect(request.messages[1]?.content).toMatch(/\[x\] 1\. First\n\[ \] 2\. Second {3}← CURRENT.*1 of 2 done/s);
  });

  it('includes exactly one result per call, in the order of the calls, not in the order in which they ended', () => {
    const calls = ['a', 'b'].map((callId) => ({ callId, name: 'fetch', arguments: { n: callId } }));
    const requested = (callId: string): PhaseEvent => ({
      type: 'ToolCallRequested',
      data: { callId, step: 1, name: 'fetch', arguments: {}, lane: 'remote', effect: 'pure', traits: [], timeoutMs: 1 },
    });
    const { request } = build([
      start(),
      answer(1, calls, 'Looking.'),
      requested('a'),
      requested('b'),
      { type: 'ToolCallFailed', data: { callId: 'b', code: 'x', message: 'b broke', attempts: 1, durationMs: 0 } },
      { type: 'ToolCallCompleted', data: { callId: 'a', content: 'a worked', attempts: 1, durationMs: 0 } },
      { type: 'PhaseNudged', data: { count: 1, message: 'go on' } },
    ]);
    expect(request.messages.slice(3)).toEqual([
      {
        role: 'assistant',
        content: 'Looking.',
        toolCalls: [
          { id: 'a', name: 'fetch', arguments: '{"n":"a"}' },
          { id: 'b', name: 'fetch', arguments: '{"n":"b"}' },
        ],
      },
      { role: 'tool', callId: 'a', content: 'a worked' },
      { role: 'tool', callId: 'b', content: 'b broke' },
      { role: 'user', content: 'go on' },
    ]);
  });

  it('includes a malformed call as valid JSON, with the denial as its result', () => {
    const { request } = build([
      start(),
      answer(1, [{ callId: 'a', name: 'fetch', malformed: '{"url":' }]),
      {
        type: 'ToolCallDenied',
        data: { callId: 'a', step: 1, name: 'fetch', code: 'malformed_arguments', message: 'not JSON' },
      },
    ]);
    expect(request.messages.slice(3)).toMatchObject([
      { toolCalls: [{ arguments: '{}' }] },
      { role: 'tool', content: 'not JSON' },
    ]);
  });

  it('returns a ledger whose layers sum to the total', () => {
    const { ledger } = build([start()], 'memory');
    expect(ledger.system + ledger.todos + ledger.tools + ledger.conversation).toBe(ledger.total);
    expect(Math.min(ledger.system, ledger.todos, ledger.tools, ledger.conversation)).toBeGreaterThan(0);
  });

  it('cuts a memory file that is too long and refers to the file', () => {
    const { request } = build([start()], 'x'.repeat(50_000));
    expect(request.messages[0]?.content.length).toBeLessThan(20_000);
    expect(request.messages[0]?.content).toContain('read workspace.md for the rest');
  });
});
