import { dueWork, buildPhaseMessage, phaseStream, buildToolMessage, type PhaseState } from '@phaseline/domain';
import type { Sender } from '@phaseline/contracts';
import type { Leases } from './ports.js';

/**
 * Sends the messages that the phase waits for, according to its log; returns how many. The queue drops a message whose
 * id it already holds, so sending twice does no harm.
 */
export async function dispatchDue(
  state: PhaseState,
  { sender, leases }: { readonly sender: Sender; readonly leases: Leases },
): Promise<number> {
  const due = dueWork(state);
  switch (due.kind) {
    case 'nothing':
    case 'paused':
    case 'approval':
    case 'question':
    case 'child':
      return 0;
    case 'tools':
      for (const call of due.calls) {
        const { queue, payload, options } = buildToolMessage(state, call.callId);
        await sender.send(queue, payload, options);
      }
      return due.calls.length;
    case 'answer': {
      const { jobId, phase } = state.start.identity;
      if (state.paused || (await leases.isLeaseHeld(due.call.leaseOwner, phaseStream(jobId, phase)))) return 0;
      return sendPhase(state, sender);
    }
    case 'advance':
    case 'guards':
    case 'judge':
    case 'inline-call':
      return sendPhase(state, sender);
  }
}

/** Sends the phase to the queue of its workers; returns the number of messages, which is 1. */
export async function sendPhase(state: PhaseState, sender: Sender): Promise<number> {
  const { queue, payload, options } = buildPhaseMessage(state);
  await sender.send(queue, payload, options);
  return 1;
}
