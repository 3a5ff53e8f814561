import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAllGoldenFiles } from '../event/golden/golden-files.fixture.js';
import { evolvePhase, foldPhase } from './evolve-phase.js';
import type { PhaseEvent } from './phase-events.js';
import type { PhaseState } from './phase-state.js';
import type { AdmittedCall } from './state/calls.js';
import { changedGroups } from './state/changed-groups.js';
import {
  buildModelResponded,
  buildPhaseStarted,
  buildToolCallCompleted,
  buildToolCallRequested,
} from './phase.fixture.js';

const TOOL: Pick<AdmittedCall, 'lane' | 'effect' | 'timeoutMs'> = { lane: 'remote', effect: 'pure', timeoutMs: 1_000 };

/** A conversation of many steps: answers with and without calls, nudges, and messages from people. */
function buildConversation(kinds: readonly number[]): PhaseEvent[] {
  const events: PhaseEvent[] = [buildPhaseStarted()];
  kinds.forEach((kind, index) => {
    const step = index + 1;
    if (kind === 0) {
      events.push(buildModelResponded(step), { type: 'PhaseNudged', data: { count: 1, message: `go on ${step}` } });
      return;
    }
    const callId = `call-${step}`;
    events.push(
      buildModelResponded(step, [{ callId, name: 'fetch', arguments: {} }]),
      { type: 'ToolCallRequested', data: { callId, step, name: 'fetch', arguments: {}, ...TOOL, traits: [] } },
      buildToolCallCompleted(callId),
    );
    if (kind === 2) events.push({ type: 'PhaseSteered', data: { actor: 'somebody', message: `at ${step}` } });
  });
  return events;
}

/** Examples of every event that changes a started phase. */
const examples = readAllGoldenFiles()
  .filter(({ type }) => type in changedGroups && type !== 'ModelResponded')
  .flatMap(({ type, examples }) => examples.map((data) => ({ type, data }) as PhaseEvent));

/** Steps of one call each, and after it any events, which concern that call if they name one. */
function buildSteps(steps: readonly (readonly number[])[]): PhaseEvent[] {
  return [
    buildPhaseStarted(),
    ...steps.flatMap((indices, step): PhaseEvent[] => {
      const callId = `call-${step}`;
      const after = indices.map((index) => {
        const { type, data } = examples[index]!;
        // A denied call is a separate call: an admitted call never becomes a denied one.
        const subject = type === 'ToolCallDenied' ? `${callId}-denied` : callId;
        return { type, data: 'callId' in data ? { ...data, callId: subject } : data } as PhaseEvent;
      });
      const response = buildModelResponded(step + 1, [{ callId, name: 'fetch', arguments: {} }]);
      return [response, buildToolCallRequested(callId, 'remote'), ...after];
    }),
  ];
}

const oneByOne = (events: readonly PhaseEvent[]): PhaseState =>
  events.reduce<PhaseState | undefined>((state, event) => evolvePhase(state, event), undefined)!;

describe('folding a phase', () => {
  it('gives the same result in one pass, in two parts, and one event at a time', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 100, maxLength: 400 }),
        fc.nat(),
        (kinds, cut) => {
          const events = buildConversation(kinds);
          const at = 1 + (cut % events.length);
          const expected = oneByOne(events);
          expect(foldPhase(events)).toEqual(expected);
          expect(foldPhase(events.slice(at), foldPhase(events.slice(0, at)))).toEqual(expected);
        },
      ),
      { numRuns: 20 },
    );
  });

  it('gives the same result in one pass and one event at a time, for any events', () => {
    const indices = fc.array(fc.integer({ min: 0, max: examples.length - 1 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(indices, { minLength: 1, maxLength: 200 }), (steps) => {
        const events = buildSteps(steps);
        expect(foldPhase(events)).toEqual(oneByOne(events));
      }),
      { numRuns: 50 },
    );
  });

  it('does not change the state it starts from', () => {
    const events = buildConversation(Array.from({ length: 300 }, () => 1));
    const from = foldPhase(events.slice(0, 600))!;
    const before = structuredClone(from);
    foldPhase(events.slice(600), from);
    expect(from).toEqual(before);
  });
});
