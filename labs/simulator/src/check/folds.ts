import { isDeepStrictEqual } from 'node:util';
import { evolveJob, evolvePhase, jobStream, type JobState, type PhaseState } from '@phaseline/domain';
import type { RunResult } from '../run/world.js';
import { readJobLogs } from './streams.js';

type State = JobState | PhaseState;

/** Checks that every state served by a process equals the fold of the whole stream up to that version. */
export function* checkFolds(remains: RunResult): Iterable<string> {
  const expectedStates = new Map<string, readonly State[]>();
  for (const { jobId, events: told, phases } of readJobLogs(remains)) {
    expectedStates.set(
      jobStream(jobId),
      foldEachVersion<JobState, (typeof told)[number]['event']>(
        told.map(({ event }) => event),
        evolveJob,
      ),
    );
    for (const { streamId, events: events } of phases)
      expectedStates.set(
        streamId,
        foldEachVersion<PhaseState, (typeof events)[number]['event']>(
          events.map(({ event }) => event),
          evolvePhase,
        ),
      );
  }
  for (const { processId, served } of remains.served) {
    for (const [streamId, state] of served) {
      const expected = expectedStates.get(streamId)?.[state.version - 1];
      if (!expected) yield `${processId} served version ${state.version} of ${streamId}, which is not in the log`;
      else if (!isSameState(state, expected))
        yield `${processId} served version ${state.version} of ${streamId}, which differs from the fold of the log in: ${describeDifference(state, expected)}`;
    }
  }
}

function foldEachVersion<Fold, Event>(
  events: readonly Event[],
  evolve: (state: Fold | undefined, event: Event) => Fold,
): Fold[] {
  let state: Fold | undefined;
  return events.map((event) => (state = evolve(state, event)));
}

/** Compares two states; absent and undefined members count as equal. */
function isSameState(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(left, right) || isDeepStrictEqual(toPlainJson(left), toPlainJson(right));
}

function toPlainJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null)) as unknown;
}

function describeDifference(left: State, right: State): string {
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])] as (keyof State)[];
  return keys.filter((key) => !isSameState(left[key], right[key])).join(', ');
}
