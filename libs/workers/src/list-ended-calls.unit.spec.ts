import { foldPhase, type PhaseEvent } from '@phaseline/domain';
import { buildPhaseStart } from '@phaseline/domain/testing';
import { expect, it } from 'vitest';
import { listEndedCalls } from './list-ended-calls.js';

const tools = { find: (name: string) => (name === 'read_file' ? ({} as never) : undefined) };

const request = (callId: string, name: string): PhaseEvent =>
  ({
    type: 'ToolCallRequested',
    data: { callId, step: 1, name, arguments: {}, lane: 'remote', effect: 'pure', traits: [], timeoutMs: 1_000 },
  }) as PhaseEvent;
const complete = (callId: string): PhaseEvent =>
  ({ type: 'ToolCallCompleted', data: { callId, content: '', attempts: 1, durationMs: 1 } }) as PhaseEvent;
const fail = (callId: string): PhaseEvent =>
  ({ type: 'ToolCallFailed', data: { callId, code: 'x', message: '', attempts: 1, durationMs: 1 } }) as PhaseEvent;
const deny = (callId: string, name: string): PhaseEvent =>
  ({ type: 'ToolCallDenied', data: { callId, step: 1, name, code: 'unknown_tool', message: '' } }) as PhaseEvent;

it('lists only the calls that these events ended, by the names of tools in the code', () => {
  const earlier = [request('a', 'read_file'), request('b', 'mcp__files__read'), request('c', 'read_file')];
  const events = [complete('a'), fail('b'), deny('d', 'made_up'), request('e', 'read_file')];
  const state = foldPhase([buildPhaseStart(), ...earlier, ...events])!;
  expect(listEndedCalls(state, events, tools)).toEqual([
    { tool: 'read_file', outcome: 'completed' },
    { tool: '(other)', outcome: 'failed' },
    { tool: '(other)', outcome: 'denied' },
  ]);
});
