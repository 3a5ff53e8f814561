import { assertNever } from '@phaseline/basics';
import { deriveMessageId, type Message, type CallId, type MessageId, type ProcessId } from '@phaseline/contracts';
import { buildPhaseMessage, buildToolMessage } from '../dispatch/messages.js';
import { dueWork } from '../phase/due-work.js';
import type { PhaseEventData } from '../phase/phase-events.js';
import { awaitsImport, listRepositoryMessages } from '../repository/repository-work.js';
import type { PhaseState } from '../phase/phase-state.js';
import type { CallState } from '../phase/state/calls.js';
import { phaseStream } from '../stream/stream-name.js';
import { hasJobEnded, type JobState } from './job-state.js';

type AwaitedQueue = 'strategic' | 'tactical' | 'tools' | 'repositories';

/** A message that must be on a queue or in the hands of a consumer. */
export interface AwaitedMessage {
  readonly queue: AwaitedQueue;
  readonly id: MessageId;
  /** The lease that a process holds while it handles the message. It may have been handed over, and is then in no queue. */
  readonly lease?: string;
}

/**
 * What a job waits for, according to its log. The log cannot tell whether the lease owner is alive or the message is
 * queued; the caller has to check that.
 */
export type Waiter =
  /** A process works on the job: a model call, or a tool call that must not run twice. */
  | {
      readonly kind: 'lease';
      readonly phase: number;
      readonly leaseOwner: ProcessId;
      /** Name of the lease, as listed in the owner's heartbeats. */
      readonly leaseName: string;
      readonly step: number;
      /** Name of the tool; absent for a model call. */
      readonly tool?: string;
      /** Set while the model server is unavailable and the call is retried. */
      readonly outage?: {
        readonly model: string;
        readonly message: string;
        readonly since: string;
        readonly until: string;
      };
    }
  /** Messages that hand the job to a worker. */
  | {
      readonly kind: 'message';
      readonly phase: number;
      readonly messages: readonly [AwaitedMessage, ...AwaitedMessage[]];
      /** Names of the tools to run; empty when the phase itself is due. */
      readonly tools: readonly string[];
    }
  /** A tool-runner imports the repository of the job. */
  | { readonly kind: 'import'; readonly messages: readonly AwaitedMessage[] }
  | { readonly kind: 'timer'; readonly timer: string; readonly timerKind: string; readonly dueAt: string }
  | {
      readonly kind: 'approval';
      readonly phase: number;
      readonly callId: CallId;
      readonly tool: string;
      readonly expiresAt?: string;
      /** Number of further calls that wait for approval. */
      readonly others: number;
    }
  | {
      readonly kind: 'question';
      readonly phase: number;
      readonly callId: CallId;
      readonly deadlineAt: string;
      /** Number of further questions that wait for an answer. */
      readonly others: number;
    }
  | {
      readonly kind: 'child';
      readonly phase: number;
      readonly callId: CallId;
      /** The agent of the child job. */
      readonly agent: string;
      /** Number of further child jobs. */
      readonly others: number;
    }
  | { readonly kind: 'pause'; readonly actor: string; readonly reason: string; readonly since?: string }
  /** The tenant is at its limit of concurrent phases. */
  | { readonly kind: 'slot'; readonly tenant: string }
  /** The orchestrator has to decide what follows. */
  | { readonly kind: 'decision'; readonly about: 'first-phase' | 'next-phase' | 'end' | 'phase' };

/** Facts that the log of the job does not contain. */
export interface WaiterFacts {
  /** Whether the next phase waits because the tenant is at its limit. */
  readonly isTenantAtLimit?: boolean;
}

/** Returns what has to act next for the job to continue; `undefined` for an ended job. `phase` is its active phase. */
export function findWaiter(job: JobState, phase: PhaseState | undefined, facts: WaiterFacts = {}): Waiter | undefined {
  if (hasJobEnded(job)) return undefined;
  if (job.cancelRequested) return { kind: 'decision', about: 'end' };
  if (facts.isTenantAtLimit && !job.paused) return { kind: 'slot', tenant: job.submitted.tenant };
  if (job.active && !phase) return { kind: 'decision', about: 'phase' };
  if (job.active && phase && !phase.end) return findPhaseWaiter(job, phase);
  if (job.paused) return buildPauseWaiter(job.paused);
  if (!job.active && awaitsImport(job) && !job.repository?.failure)
    return { kind: 'import', messages: listRepositoryMessages(job).map(addressOf) };
  if (job.active) return { kind: 'decision', about: 'next-phase' };
  const backoff = Object.entries(job.timers).find(([, timer]) => timer.kind === 'backoff');
  if (backoff) return { kind: 'timer', timer: backoff[0], timerKind: backoff[1].kind, dueAt: backoff[1].dueAt };
  return { kind: 'decision', about: job.phases === 0 ? 'first-phase' : 'next-phase' };
}

/**
 * The messages that must exist for a phase to continue. None while a process holds its lease, while it waits for a
 * person, or after it has ended.
 */
export function listAwaitedMessages(phase: PhaseState): readonly AwaitedMessage[] {
  const due = dueWork(phase);
  switch (due.kind) {
    case 'advance':
    case 'guards':
    case 'judge':
    case 'inline-call':
      return [addressOf(buildPhaseMessage(phase))];
    case 'tools':
      return due.calls
        .filter((call) => !leaseOwnerOf(call))
        .map((call) => addressOf(buildToolMessage(phase, call.callId)));
    case 'answer':
    case 'approval':
    case 'question':
    case 'child':
    case 'paused':
    case 'nothing':
      return [];
    default:
      return assertNever(due);
  }
}

function findPhaseWaiter(job: JobState, phase: PhaseState): Waiter {
  const due = dueWork(phase);
  const { phase: number } = phase.start.identity;
  const stream = phaseStream(phase.start.identity.jobId, number);
  switch (due.kind) {
    case 'answer':
      return {
        kind: 'lease',
        phase: number,
        leaseOwner: due.call.leaseOwner,
        leaseName: stream,
        step: due.call.step,
        ...(phase.modelCall.awaited ? { outage: outageOf(phase.modelCall.awaited) } : {}),
      };
    case 'tools': {
      const [first, ...rest] = listAwaitedMessages(phase);
      if (first) {
        const tools = due.calls.filter((call) => !leaseOwnerOf(call)).map((call) => call.name);
        return { kind: 'message', phase: number, messages: [first, ...rest], tools };
      }
      const call = due.calls[0]!;
      const leaseName = `${stream}/${call.callId}`;
      return {
        kind: 'lease',
        phase: number,
        leaseOwner: leaseOwnerOf(call)!,
        leaseName,
        step: call.step,
        tool: call.name,
      };
    }
    case 'approval': {
      const [call, ...others] = due.calls;
      const { callId, name, expiresAt } = call!;
      const expires = expiresAt === undefined ? {} : { expiresAt };
      return { kind: 'approval', phase: number, callId, tool: name, ...expires, others: others.length };
    }
    case 'question': {
      const [call, ...others] = due.calls;
      const { callId, question } = call!;
      return { kind: 'question', phase: number, callId, deadlineAt: question.deadlineAt, others: others.length };
    }
    case 'child': {
      const [call, ...others] = due.calls;
      return { kind: 'child', phase: number, callId: call!.callId, agent: call!.child.agent, others: others.length };
    }
    case 'paused':
      return buildPauseWaiter(job.paused ?? phase.paused);
    case 'advance':
    case 'guards':
    case 'judge':
    case 'inline-call':
      return { kind: 'message', phase: number, messages: [addressOf(buildPhaseMessage(phase))], tools: [] };
    case 'nothing':
      return { kind: 'decision', about: 'next-phase' };
    default:
      return assertNever(due);
  }
}

function outageOf({ model, message, since, until }: PhaseEventData<'ModelAwaited'>) {
  return { model, message, since, until };
}

function leaseOwnerOf(call: CallState): ProcessId | undefined {
  return call.status === 'started' ? call.leaseOwner : undefined;
}

function buildPauseWaiter(
  by: { readonly actor: string; readonly reason: string; readonly pausedAt?: string } | undefined,
): Waiter {
  const { actor = 'someone', reason = '', pausedAt } = by ?? {};
  return { kind: 'pause', actor, reason, ...(pausedAt === undefined ? {} : { since: pausedAt }) };
}

function addressOf({ queue, payload }: Message<AwaitedQueue>): AwaitedMessage {
  const id = deriveMessageId(queue, payload);
  if (!('phase' in payload)) return { queue, id };
  const stream = phaseStream(payload.jobId, payload.phase);
  return { queue, id, lease: 'callId' in payload ? `${stream}/${payload.callId}` : stream };
}
