import { evolvePhase, isAsking, isAwaitingApproval, listCalls, type PhaseState } from '@phaseline/domain';
import { foldJobView, type JobView } from '@phaseline/projections';
import type { RunResult } from '../run/world.js';
import { readJobLogs, type JobLog } from './streams.js';

/** Checks after every event that the inbox shows exactly the calls that wait for a person. */
export function* checkInbox(remains: RunResult): Iterable<string> {
  for (const log of readJobLogs(remains)) {
    const states = new Map<number, PhaseState>();
    // The end of a phase follows in the same commit as its PhaseEnded.
    const ended = new Set<number>();
    let view: JobView | undefined;
    for (const { recorded, evolve } of mergeStreams(log, states, ended)) {
      evolve();
      view = foldJobView([recorded], view);
      const phase = view?.phase;
      const shown = phase ? [...phase.awaitingApproval, ...phase.awaitingAnswer].map(({ callId }) => callId) : [];
      const waiting = phase && !ended.has(phase.number) ? listWaiting(states.get(phase.number)) : [];
      if (shown.toSorted().join() !== waiting.toSorted().join())
        yield `${log.agent} after position ${recorded.position}: the inbox shows ${shown.join(', ') || 'nothing'}, but ${waiting.join(', ') || 'nothing'} waits`;
    }
  }
}

function listWaiting(state: PhaseState | undefined): readonly string[] {
  if (!state || state.end) return [];
  return listCalls(state)
    .filter((call) => isAsking(call) || isAwaitingApproval(call))
    .map(({ callId }) => callId);
}

/** Returns the events of a job and its phases in log order, each with the step that updates the state of its phase. */
function mergeStreams({ events, phases }: JobLog, states: Map<number, PhaseState>, ended: Set<number>) {
  const ofPhases = phases.flatMap(({ phase, events: ofPhase }) =>
    ofPhase.map(({ event, recorded }) => ({
      recorded,
      evolve: () => void states.set(phase, evolvePhase(states.get(phase), event)),
    })),
  );
  const ofJob = events.map(({ event, recorded }) => ({
    recorded,
    evolve: () => void (event.type === 'PhaseEnded' && ended.add(event.data.phase)),
  }));
  return [...ofJob, ...ofPhases].sort((one, other) => one.recorded.position - other.recorded.position);
}
