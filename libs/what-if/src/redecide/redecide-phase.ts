import { phaseStream, type PhaseEvent, type PhaseEventData, type PhaseState } from '@phaseline/domain';
import {
  decidePickUp,
  openSource,
  PendingCommit,
  recordAnswer,
  recordEndedCall,
  reserveNextCall,
  type StepParts,
} from '@phaseline/execution';
import { readActor } from '../log/commits.js';
import { getRecordedRequest, type RecordedRequest } from '../log/recorded-job.js';
import { buildRecordedModel } from './recorded-model.js';
import type { CommitToRedecide, DecisionParts, Redecision } from './redecide-parts.js';

/**
 * Decides again what a worker or a tool-runner appended to a phase. What came from outside is taken as recorded: the answer of a model, how an
 * attempt failed, the end of a call that a tool-runner ran, and that a worker took the phase over.
 */
export async function redecidePhaseCommit(
  phase: number,
  recorded: readonly PhaseEvent[],
  commit: CommitToRedecide,
  parts: DecisionParts,
): Promise<Redecision> {
  const { before } = commit;
  const state = before.getPhase(phase);
  if (!state) return { kind: 'unknown', reason: `phase ${phase} had not started` };
  const inputs = findInputs(state, recorded);
  if (inputs.kind === 'all') return { kind: 'input' };
  const request = findRequest(phase, recorded, before);
  if (!request) return { kind: 'unknown', reason: 'the limits of the model are not recorded: no call was made before' };
  const stepParts = await buildStepParts(state, recorded, request, commit, parts);
  const pending = new PendingCommit(state, before.log.blobs, commit.now);
  const given = recorded.slice(0, inputs.count);
  switch (inputs.kind) {
    case 'answer':
      await recordAnswer(pending, given, stepParts);
      break;
    case 'failed-attempt':
      pending.record(...given);
      await reserveNextCall(pending, stepParts);
      // Whether the attempt is followed by a wait depends on the error.
      pending.record(...recorded.filter(({ type }) => type === 'ModelAwaited'));
      break;
    case 'ended-call':
      pending.recordWithStoredFiles(...given);
      await recordEndedCall(pending, inputs.callId, stepParts.source);
      break;
    case 'pick-up':
      await decidePickUp(pending, stepParts);
  }
  if (!request.prices && recorded.some(isPriceLimit))
    return { kind: 'unknown', reason: 'a limit refused a call whose price is not recorded' };
  const { jobId } = state.start.identity;
  const streamId = phaseStream(jobId, phase);
  const decided = pending.events.map((event) => ({ streamId, event }));
  return { kind: 'decided', inputs: inputs.count, decided };
}

type Inputs =
  | { readonly kind: 'all' }
  | { readonly kind: 'answer' | 'failed-attempt' | 'pick-up'; readonly count: number }
  | {
      readonly kind: 'ended-call';
      readonly count: number;
      readonly callId: PhaseEventData<'ToolCallCompleted'>['callId'];
    };

/** Finds the events at the beginning of a commit that were not decided. */
function findInputs(state: PhaseState, recorded: readonly PhaseEvent[]): Inputs {
  const [first] = recorded;
  const last = recorded.at(-1);
  switch (first?.type) {
    case 'ModelResponded':
    case 'ConversationSummarised':
    case 'ReflectionRecorded':
      return { kind: 'answer', count: 1 };
    case 'JudgeEnded':
      return { kind: 'answer', count: 2 };
    case 'ToolCallStarted':
    case 'ModelAwaited':
    case undefined:
      return { kind: 'all' };
    case 'ModelCallFailed':
      // The phase continues without the reflection.
      if (recorded[1]?.type === 'ReflectionSkipped') return { kind: 'answer', count: 2 };
      return last?.type === 'PhaseFailed' && isModelFailure(last.data)
        ? { kind: 'all' }
        : { kind: 'failed-attempt', count: 1 };
    default:
  }
  if (last?.type === 'PhaseFailed' && state.modelCall.open && isModelFailure(last.data)) return { kind: 'all' };
  if (last?.type === 'PhaseFailed' && last.data.code === 'definition_missing') return { kind: 'all' };
  const end = recorded.findIndex((event) => isEndOfRemoteCall(state, event));
  const ended = recorded[end];
  if (ended?.type === 'ToolCallCompleted' || ended?.type === 'ToolCallFailed')
    return { kind: 'ended-call', count: end + 1, callId: ended.data.callId };
  return { kind: 'pick-up', count: 0 };
}

/** Whether a call was refused because of what it could cost. */
function isPriceLimit(event: PhaseEvent): boolean {
  return event.type === 'PhaseFailed' && (event.data.code === 'cost_limit' || event.data.code === 'daily_limit');
}

/** Failures that the model or its server caused. */
function isModelFailure({ code }: PhaseEventData<'PhaseFailed'>): boolean {
  return code === 'model_failed' || code === 'context_limit' || code === 'not_recorded';
}

/** Whether a tool-runner ended a call with this event. */
function isEndOfRemoteCall(state: PhaseState, event: PhaseEvent): boolean {
  if (event.type !== 'ToolCallCompleted' && event.type !== 'ToolCallFailed') return false;
  if (event.type === 'ToolCallFailed' && event.data.code === 'cancelled') return false;
  const call = state.calls.byId[event.data.callId];
  return call !== undefined && call.status !== 'denied' && call.lane === 'remote';
}

/** The model of the call that a commit reserves, or else of the last call before it. */
function findRequest(
  phase: number,
  recorded: readonly PhaseEvent[],
  before: CommitToRedecide['before'],
): RecordedRequest | undefined {
  const started = recorded.find((event) => event.type === 'ModelCallStarted');
  const request = started?.type === 'ModelCallStarted' ? getRecordedRequest(started.data) : undefined;
  return request ?? before.getRequest(phase);
}

async function buildStepParts(
  state: PhaseState,
  recorded: readonly PhaseEvent[],
  request: RecordedRequest,
  { before, first, now }: CommitToRedecide,
  { tools }: DecisionParts,
): Promise<StepParts> {
  const model = buildRecordedModel(state, request);
  const processId = readActor(first).id;
  const reservations = recorded.flatMap(readReservation);
  return {
    processId,
    tools,
    clock: { now: () => now },
    model,
    source: await openSource(before.recordings, state),
    findModel: async () => model,
    // What remained of a budget of several jobs is not in the log of this one: a refusal is taken as recorded.
    budgets: { reserve: async () => reservations.shift()?.refused },
    origin: { actor: { id: processId, kind: 'process' } },
  };
}

interface Reservation {
  /** What remained of the budget, if the reservation was refused. */
  readonly refused?: { readonly remainingMicroUsd: number };
}

/** How a reservation in the daily budget ended, if the event shows one. A refused call of a reflection only skips the reflection. */
function readReservation({ type, data }: PhaseEvent): readonly Reservation[] {
  if (type === 'ModelCallStarted') return [{}];
  if ((type !== 'PhaseFailed' && type !== 'ReflectionSkipped') || data.code !== 'daily_limit') return [];
  const [, remaining] = /\$([\d.]+) remain today/.exec(data.message) ?? [];
  return [{ refused: { remainingMicroUsd: Math.round(Number(remaining ?? 0) * 1_000_000) } }];
}
