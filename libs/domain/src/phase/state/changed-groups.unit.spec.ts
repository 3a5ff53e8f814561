import { describe, expect, it } from 'vitest';
import { FIRST_TURN } from '../../budget/turn.js';
import { readAllGoldenFiles } from '../../event/golden/golden-files.fixture.js';
import { evolvePhase, foldPhase } from '../evolve-phase.js';
import type { PhaseState } from '../phase-state.js';
import { buildModelResponded, buildPhaseStarted, buildToolCallRequested } from '../phase.fixture.js';
import { changedGroups, type ChangeEvent, type Group } from './changed-groups.js';

/** Examples of every event that changes a started phase, as `[type, event]`. */
const examples = readAllGoldenFiles()
  .filter(({ type }) => type in changedGroups)
  .flatMap(({ type, examples }) => examples.map((data) => [type, { type, data } as ChangeEvent] as const));

/** A phase with an admitted call of the id that the example names. */
function buildStateFor({ data }: ChangeEvent): PhaseState {
  const callId = 'callId' in data ? (data.callId ?? 'c') : 'c';
  const call = { callId, name: 'fetch', arguments: {} };
  const events = [buildPhaseStarted(), buildModelResponded(1, [call]), buildToolCallRequested(callId, 'remote')];
  return { ...foldPhase(events)!, turn: FIRST_TURN };
}

function readGroup(state: PhaseState, group: Group): unknown {
  if (group === 'watch') return state.guards.watch;
  if (group === 'guards') return { ...state.guards, watch: undefined };
  return state[group];
}

describe('the table of changed groups', () => {
  it('has an example of each event', () => {
    expect([...new Set(examples.map(([type]) => type))].sort()).toEqual(Object.keys(changedGroups).sort());
  });

  it.each(examples)('%s changes no other group', (_type, event) => {
    const before = buildStateFor(event);
    const after = evolvePhase(before, event);
    const changed: readonly Group[] = changedGroups[event.type];
    const others = [...new Set(Object.values(changedGroups).flat())].filter((group) => !changed.includes(group));
    for (const group of others) expect(readGroup(after, group), group).toEqual(readGroup(before, group));
    if (!changed.includes('conversation')) expect(after.conversation).toBe(before.conversation);
    if (!changed.includes('tree')) expect(after.tree).toBe(before.tree);
  });
});
