import { describe, expect, it } from 'vitest';
import type { JsonObject } from '@phaseline/basics';
import { advancePhase } from '../phase/advance-phase.js';
import { foldPhase } from '../phase/evolve-phase.js';
import type { PhaseEvent } from '../phase/phase-events.js';
import { buildPhaseStarted, buildTodo, buildTodoCompleted } from '../phase/phase.fixture.js';

const NO_FILES = { todosFile: undefined, claimTexts: new Map<string, string>() };
const requests = [{ method: 'GET', url: 'http://127.0.0.1:8080/items', headers: {}, status: 200 }];
const item = {
  ...{ id: 'a', description: 'Lists items.', ui: false, status: 'implemented' as const, attempts: 0, began: 2 },
  checks: [{ verifier: 'api', requests }],
};
const both = [{ verifier: 'api' }, { proof: 'api' }];

describe('a verifier that must pass and prove the feature', () => {
  const state = foldPhase([
    buildPhaseStarted({
      plan: { todos: [buildTodo(1)], item },
      routes: { finish: { outcome: 'tested', gates: [], checks: both } },
    }),
    buildTodoCompleted(1),
  ])!;
  const { events } = advancePhase(state, NO_FILES);
  const end = (callId: string, result: JsonObject): PhaseEvent => ({
    type: 'ToolCallCompleted',
    data: { callId, content: '', result, attempts: 1, durationMs: 1 },
  });
  const callIds = events.flatMap((event) => (event.type === 'ToolCallRequested' ? [event.data.callId] : []));
  const proof = { proved: true, reason: '' };

  it('is run twice: with its own requests, and with those of the feature', () => {
    expect(events).toMatchObject([
      { type: 'ClaimRaised', data: { runs: [{ name: 'api' }, { name: 'api' }] } },
      { type: 'ToolCallRequested', data: { name: 'run_verifier', arguments: { name: 'api' } } },
      { type: 'ToolCallRequested', data: { arguments: { name: 'api', proof: { began: 2, requests } } } },
    ]);
    expect(events[1]).not.toHaveProperty('data.arguments.proof');
  });

  it.each<[string, JsonObject, JsonObject, string]>([
    ['accepts the end after both', { outcome: 'passed' }, { outcome: 'passed', proof }, 'ClaimAccepted'],
    ['refuses it if its own requests fail', { outcome: 'failed' }, { outcome: 'passed', proof }, 'ClaimRefused'],
    [
      'refuses it if those of the feature prove nothing',
      { outcome: 'passed' },
      { outcome: 'passed', proof: { proved: false, reason: 'it passed before' } },
      'ClaimRefused',
    ],
  ])('%s', (_what, own, ofFeature, expected) => {
    const ended = foldPhase([...events, end(callIds[0]!, own), end(callIds[1]!, ofFeature)], state)!;
    expect(advancePhase(ended, NO_FILES).events[0]).toMatchObject({ type: expected });
  });
});
