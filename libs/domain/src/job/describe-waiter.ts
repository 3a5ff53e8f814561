import { assertNever } from '@phaseline/basics';
import type { Waiter } from './waiter.js';

/** Describes a waiter for people, as a phrase without a full stop. Names of tools and people are those in the log. */
export function describeWaiter(waiter: Waiter): string {
  switch (waiter.kind) {
    case 'lease':
      if (waiter.outage) {
        const { model, message, since, until } = waiter.outage;
        return `the server of the model ${model}, which has been unreachable since ${since} (${message}); the call is retried until ${until}`;
      }
      return waiter.tool === undefined
        ? `the model's answer to step ${waiter.step} of phase ${waiter.phase}, requested by ${waiter.leaseOwner}`
        : `the tool ${waiter.tool} of phase ${waiter.phase}, run by ${waiter.leaseOwner}`;
    case 'message': {
      const [{ queue }] = waiter.messages;
      if (waiter.tools.length === 0) return `a worker of the queue ${queue} to take phase ${waiter.phase}`;
      const names = [...new Set(waiter.tools)].join(', ');
      const calls = waiter.tools.length === 1 ? 'the call' : `${waiter.tools.length} calls`;
      return `the tool-runner to run ${calls} of ${names} (phase ${waiter.phase})`;
    }
    case 'import':
      return 'a tool-runner to import its repository';
    case 'timer':
      return waiter.timerKind === 'backoff'
        ? `the pause before the next attempt, until ${waiter.dueAt}`
        : `the timer ${waiter.timer}, which is due at ${waiter.dueAt}`;
    case 'approval': {
      const more = waiter.others === 0 ? '' : ` and ${waiter.others} more`;
      const until = waiter.expiresAt === undefined ? '' : `, until ${waiter.expiresAt}`;
      return `a person to approve the call of ${waiter.tool} (${waiter.callId})${more}${until}`;
    }
    case 'question': {
      const more = waiter.others === 0 ? '' : ` and ${waiter.others} more`;
      return `a person to answer the question of the call ${waiter.callId}${more}, until ${waiter.deadlineAt}`;
    }
    case 'child': {
      const more = waiter.others === 0 ? '' : ` and ${waiter.others} more`;
      return `the child job of ${waiter.agent} that the call ${waiter.callId} started${more}`;
    }
    case 'pause': {
      const why = waiter.reason === '' ? '' : ` (${waiter.reason})`;
      return `a person to resume it: ${waiter.actor} paused it${waiter.since === undefined ? '' : ` at ${waiter.since}`}${why}`;
    }
    case 'slot':
      return `a free slot: the tenant ${waiter.tenant} already runs its maximum number of phases`;
    case 'decision':
      return `the orchestrator to ${DECISIONS[waiter.about]}`;
    default:
      return assertNever(waiter);
  }
}

const DECISIONS = {
  'first-phase': 'dispatch its first phase',
  'next-phase': 'decide what follows the phase that ended',
  end: 'end it, as requested',
  phase: 'start the phase that it dispatched',
} as const;
