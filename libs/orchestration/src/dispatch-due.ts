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
    case 'tools': {
      const { jobId, phase } = state.start.identity;
      let sent = 0;
      for (const { callId } of due.calls) {
        // No queue has the message of a call that was handed over to the process that runs it.
        if (await leases.isCallHeld(`${phaseStream(jobId, phase)}/${callId}`)) continue;
        const { queue, payload, options } = buildToolMessage(state, callId);
        await sender.send(queue, payload, options);
        sent += 1;
      }
      return sent;
    }
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
