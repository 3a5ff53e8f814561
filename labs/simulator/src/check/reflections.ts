import { evolvePhase, findDueReflection, type PhaseState } from '@phaseline/domain';
import type { RunResult } from '../run/world.js';
import { readJobLogs, type PhaseLog } from './streams.js';

/**
 * Checks that an attempt after a failed one reflects before its first step: each question is answered once, in order, unless a skipped call ends
 * the reflection, and no other phase reflects.
 */
export function* checkReflections(remains: RunResult): Iterable<string> {
  for (const { agent, phases } of readJobLogs(remains))
    for (const phase of phases) yield* checkPhase(`${agent} phase ${phase.phase}`, phase);
}

function* checkPhase(where: string, { events }: PhaseLog): Iterable<string> {
  let state: PhaseState | undefined;
  for (const { event } of events) {
    const due = state && findDueReflection(state);
    if (event.type === 'ReflectionRecorded' || event.type === 'ReflectionSkipped') {
      if (event.data.part !== due)
        yield `${where}: ${event.type} of ${event.data.part}, and ${due ?? 'nothing'} was due`;
    }
    if (event.type === 'ReflectionRecorded' && state?.modelCall.open?.purpose !== 'reflection')
      yield `${where}: an answer of a reflection without its reserved call`;
    if (event.type === 'ModelCallStarted' && (event.data.purpose === 'reflection') !== (due !== undefined))
      yield `${where}: a call for ${event.data.purpose ?? 'work'} while ${due ?? 'nothing'} of a reflection was due`;
    if (event.type === 'ModelResponded' && due) yield `${where}: a step before the reflection`;
    state = evolvePhase(state, event);
  }
}
