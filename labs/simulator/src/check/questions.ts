import { evolvePhase, isAsking, listCalls, type PhaseState } from '@phaseline/domain';
import type { RunResult } from '../run/world.js';
import { readJobLogs } from './streams.js';

/** Checks that each question ends at most once and only after it was asked, and that a phase costs nothing while it waits. */
export function* checkQuestions(remains: RunResult): Iterable<string> {
  for (const { agent, phases } of readJobLogs(remains)) {
    for (const { phase, events } of phases) {
      let state: PhaseState | undefined;
      for (const { event, recorded } of events) {
        const where = `${agent} phase ${phase} version ${recorded.version}`;
        const asking = state ? listCalls(state).filter(isAsking) : [];
        if (event.type === 'QuestionAnswered' || event.type === 'QuestionTimedOut') {
          if (!asking.some(({ callId }) => callId === event.data.callId))
            yield `${where}: ${event.type} for ${event.data.callId}, whose question was not open`;
        }
        if (event.type === 'ModelCallStarted' && asking.length > 0)
          yield `${where}: a model call while ${asking[0]!.callId} waits for an answer`;
        state = evolvePhase(state, event);
      }
    }
  }
}
