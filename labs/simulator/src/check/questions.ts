import { evolvePhase, isAsking, isAwaitingApproval, listCalls, type PhaseState } from '@phaseline/domain';
import type { RunResult } from '../run/world.js';
import { readJobLogs } from './streams.js';

/** Checks that questions and approvals end at most once and only while they wait, and that a phase costs nothing while it asks. */
export function* checkQuestions(remains: RunResult): Iterable<string> {
  for (const { agent, phases } of readJobLogs(remains)) {
    for (const { phase, events } of phases) {
      let state: PhaseState | undefined;
      for (const { event, recorded } of events) {
        const where = `${agent} phase ${phase} version ${recorded.version}`;
        const calls = state ? listCalls(state) : [];
        const asking = calls.filter(isAsking);
        if (event.type === 'QuestionAnswered' || event.type === 'QuestionTimedOut') {
          if (!asking.some(({ callId }) => callId === event.data.callId))
            yield `${where}: ${event.type} for ${event.data.callId}, whose question was not open`;
        }
        if (event.type === 'ApprovalGranted' || event.type === 'ApprovalRefused') {
          if (!calls.filter(isAwaitingApproval).some(({ callId }) => callId === event.data.callId))
            yield `${where}: ${event.type} for ${event.data.callId}, which did not wait for approval`;
        }
        if (event.type === 'ModelCallStarted' && asking.length > 0)
          yield `${where}: a model call while ${asking[0]!.callId} waits for an answer`;
        state = evolvePhase(state, event);
      }
    }
  }
}
