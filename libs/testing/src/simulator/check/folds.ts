import { isDeepStrictEqual } from 'node:util';
import { evolveJob, evolvePhase, jobStream, type JobState, type PhaseState } from '@phaseline/domain';
import type { Remains } from '../run/world.js';
import { jobLogs } from './streams.js';

type State = JobState | PhaseState;

/** What processes served, folded bit by bit and kept, is the fold of the whole stream up to the same version. */
export function* foldsAgree(remains: Remains): Iterable<string> {
  const truth = new Map<string, readonly State[]>();
  for (const { jobId, told, phases } of jobLogs(remains)) {
    truth.set(
      jobStream(jobId),
      byVersion<JobState, (typeof told)[number]['event']>(
        told.map(({ event }) => event),
        evolveJob,
      ),
    );
    for (const { streamId, told: events } of phases)
      truth.set(
        streamId,
        byVersion<PhaseState, (typeof events)[number]['event']>(
          events.map(({ event }) => event),
          evolvePhase,
        ),
      );
  }
  for (const { processId, served } of remains.served) {
    for (const [streamId, state] of served) {
      const expected = truth.get(streamId)?.[state.version - 1];
      if (!expected) yield `${processId} served version ${state.version} of ${streamId}, which the log does not have`;
      else if (!same(state, expected))
        yield `${processId} served version ${state.version} of ${streamId} other than the log tells it: ${difference(state, expected)}`;
    }
  }
}

function byVersion<Fold, Event>(
  events: readonly Event[],
  evolve: (state: Fold | undefined, event: Event) => Fold,
): Fold[] {
  let state: Fold | undefined;
  return events.map((event) => (state = evolve(state, event)));
}

/** Absent and undefined are the same to a reader. */
function same(left: unknown, right: unknown): boolean {
  return isDeepStrictEqual(left, right) || isDeepStrictEqual(plain(left), plain(right));
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value ?? null)) as unknown;
}

function difference(left: State, right: State): string {
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])] as (keyof State)[];
  return keys.filter((key) => !same(left[key], right[key])).join(', ');
}
