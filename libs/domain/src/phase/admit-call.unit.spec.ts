import { describe, expect, it } from 'vitest';
import { admitCall } from './admit-call.js';
import { foldPhase } from './evolve-phase.js';
import type { PhaseEventData } from './phase-events.js';
import { specTools, buildModelResponded, buildPhaseStarted } from './phase.fixture.js';

type Call = PhaseEventData<'ModelResponded'>['calls'][number];

function admit(call: Partial<Call>, changes: Partial<PhaseEventData<'ModelResponded'>> = {}, index = 0) {
  const list = Array.from({ length: index + 1 }, () => ({ callId: 'c1', name: 'note', arguments: {}, ...call }));
  const event = buildModelResponded(1, list, changes);
  const state = foldPhase([buildPhaseStarted({ terms: { limits: { ...limits(), callsPerResponse: 2 } } }), event])!;
  return admitCall(state, event.data as PhaseEventData<'ModelResponded'>, index, specTools, new Date(0));
}
function limits() {
  const event = buildPhaseStarted();
  if (event.type !== 'PhaseStarted') throw new Error('not a start');
  return event.data.terms.limits;
}

describe('admitCall', () => {
  it('admits an offered tool with valid arguments, with its lane, effect and traits', () => {
    expect(admit({ name: 'fetch', arguments: { url: 'x' } })).toMatchObject({
      type: 'ToolCallRequested',
      data: { lane: 'remote', effect: 'pure', traits: ['reads_stored_content'], arguments: { url: 'x' } },
    });
  });

  it('records the parsed arguments, and the names of those the tool ignores', () => {
    const event = buildModelResponded(1, [{ callId: 'c1', name: 'note', arguments: { id: '4', x: 1 } }]);
    const reading = { ...specTools, parseArguments: () => ({ arguments: { id: 4, x: 1 }, ignoredArguments: ['x'] }) };
    const state = foldPhase([buildPhaseStarted(), event])!;
    const answer = event.data as PhaseEventData<'ModelResponded'>;
    expect(admitCall(state, answer, 0, reading, new Date(0))).toMatchObject({
      type: 'ToolCallRequested',
      data: { arguments: { id: 4, x: 1 }, ignoredArguments: ['x'] },
    });
    const made = {
      ...specTools,
      parseArguments: () => ({ arguments: {}, ignoredArguments: Array.from({ length: 99 }, () => 'x') }),
    };
    expect(admitCall(state, answer, 0, made, new Date(0))).toMatchObject({
      data: { ignoredArguments: { length: 10 } },
    });
  });

  it.each([
    ['a tool that this phase does not offer', { name: 'secret' }, {}, 0, 'not_offered'],
    ['an unknown name', { name: 'made_up' }, {}, 0, 'unknown_tool'],
    ['arguments that are not JSON', { arguments: undefined, malformed: '{"a":' }, {}, 0, 'malformed_arguments'],
    ['invalid arguments', { arguments: { bad: true } }, {}, 0, 'bad_arguments'],
    ['a call of an answer that was cut off', {}, { end: 'truncated' as const }, 0, 'response_truncated'],
    ['a call beyond the limit per answer', {}, {}, 2, 'too_many_calls'],
  ])('denies %s', (_what, call, changes, index, code) => {
    const event = admit(call, changes, index);
    expect(event).toMatchObject({ type: 'ToolCallDenied', data: { code } });
  });

  it('lists the offered tools, so that the model can correct itself', () => {
    expect(admit({ name: 'made_up' })).toMatchObject({
      data: { message: expect.stringContaining('note, fetch, todo_complete') },
    });
  });
});
