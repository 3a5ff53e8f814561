import { getAdmittedCall, phaseStream, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import type { Prompt } from '@phaseline/context';
import type { ChatAnswer } from '@phaseline/contracts';
import { StreamClosed, WrongExpectedVersion } from '@phaseline/event-store';
import { faultPoint, areFaultPointsArmed } from '@phaseline/fault-points';
import { ModelError, type ChatDelta, type CompleteOptions, type RetryNotice } from '@phaseline/model';
import type { JobRepository } from '@phaseline/repository';
import type { BlobReader } from '@phaseline/workspace';
import type { HandedEnd } from '../call/handed-end.js';
import type { RecentEvents } from '../call/newer-events.js';
import { completeInSpan } from '../telemetry/complete-in-span.js';
import type { ConfiguredModel, LiveAnswers, ModelResponse } from '../ports.js';
import { buildConversationSummarised, buildModelResponded, buildNextPrompt, rebuildSummary } from './call-model.js';
import { completeStep, failAfterError, failAfterOutage, reserveRetry, startAwaitingServer } from './complete-step.js';
import { releaseReservations, settleDailyBudget } from './daily-budget.js';
import { decideAfterError } from './decide-after-error.js';
import { decidePickUp, recordAnswer } from './decide-commit.js';
import { buildEditedResponse } from './edited-response.js';
import { callWithinTurn } from './limit-turn-time.js';
import { countAttempt, type Outage } from './outage.js';
import { buildJudgeEnded, buildPromptOfJudge, findJudgeModel } from './judge-claim.js';
import { openRecorder } from './open-recorder.js';
import { PendingCommit } from './pending-commit.js';
import { buildPromptOfReflection, buildReflectionRecorded, skipAfterError } from './reflect.js';
import type { ServerWaits } from './server-waits.js';
import type { StepParts } from './step-parts.js';

/** Thrown when another worker has taken the phase over, so that the result of this one is discarded. */
export class TakenOver extends Error {}

/** A phase as committed, with the prompt of the call it now waits for, if known. */
export interface Committed {
  readonly state: PhaseState;
  readonly prompt: Prompt | undefined;
  /** The failed attempt that precedes this call. */
  readonly after?: ModelError;
  /** Set when the server is unreachable: the next attempt waits first. */
  readonly outage?: { readonly before: Outage; readonly error: ModelError };
}

/** What a run of a phase uses, in addition to what its steps use. */
export interface RunParts extends StepParts {
  readonly repository: JobRepository;
  readonly blobs: BlobReader;
  readonly waits: ServerWaits;
  readonly recentEvents: RecentEvents;
  readonly liveAnswers?: LiveAnswers;
}

/**
 * Brings a phase to the point where the model is called: takes over a call that its lease owner left, runs pending
 * inline calls, and advances the phase when its tools have ended. `end` is the end of the last of them, which is not in the log yet.
 */
export async function pickUpPhase(state: PhaseState, parts: RunParts, end?: HandedEnd): Promise<Committed> {
  const commit = new PendingCommit(state, parts.blobs, parts.clock.now());
  if (end) commit.adopt(end);
  await decidePickUp(commit, parts);
  faultPoint('worker.before-pickup', state.start.identity.jobId);
  return append(commit, parts);
}

/**
 * Runs one step: one attempt at a model call, and one commit with everything that follows from the response. Returns
 * `undefined` when the phase is released without a commit. Throws TakenOver when another worker has the phase.
 */
export async function runStep(
  committed: Committed,
  parts: RunParts,
  signal: AbortSignal,
): Promise<Committed | undefined> {
  const { prompt, after } = committed;
  let { state } = committed;
  const callParts = { ...parts, model: await findCalledModel(state, parts) };
  let outage: Outage | undefined;
  if (committed.outage) {
    outage = await parts.waits.wait(state, committed.outage.before, committed.outage.error, callParts.model, signal);
    state = await reloadOwnCall(state, parts);
    // The phase was paused meanwhile. Leave the call open, as if this worker had died, for the worker that continues it.
    if (state.paused) return undefined;
  }
  const { jobId } = state.start.identity;
  faultPoint('worker.before-model-call', jobId);
  const { result: response, durationMs } = await callWithinTurn(
    state,
    signal,
    () => parts.clock.now().getTime(),
    async (limited) =>
      buildEditedResponse(state, callParts.model.profile.name) ??
      parts.source.respond(
        state,
        () => callModel(state, prompt, callParts, { signal: limited, previousFailure: after }, signal),
        { model: callParts.model, rebuildPrompt: async (earlier) => rebuildPrompt(earlier, callParts) },
      ),
  );
  if (!(response instanceof ModelError)) parts.waits.wakeWaiting(callParts.model.profile.name);
  for (;;) {
    const commit = new PendingCommit(state, parts.blobs, parts.clock.now());
    const follow = await recordResponse(commit, response, outage, durationMs, parts, callParts);
    if (!follow) return undefined;
    faultPoint('worker.before-append', jobId);
    try {
      const next = await append(commit, parts);
      // An attempt that cost nothing keeps its call, which has the same prompt.
      return { ...next, ...follow, prompt: next.prompt ?? (follow.outage ? prompt : undefined) };
    } catch (error) {
      if (!(error instanceof WrongExpectedVersion)) throw error;
      state = await reloadOwnCall(state, parts);
    }
  }
}

/**
 * Records a response and everything that can be decided without waiting. Returns what the next step has to know; `undefined`
 * when nothing may be recorded, because another attempt is due and the phase is paused. `callParts` has the model that was called.
 */
async function recordResponse(
  commit: PendingCommit,
  response: ModelResponse,
  outage: Outage | undefined,
  durationMs: number,
  parts: RunParts,
  callParts: RunParts,
): Promise<Pick<Committed, 'after' | 'outage'> | undefined> {
  if (!(response instanceof ModelError)) {
    await recordAnswer(commit, toEvents(commit.state, response, durationMs, callParts), parts);
    return {};
  }
  const failed = { error: response, durationMs };
  const decision = decideAfterError(commit.state, response, outage, callParts.model.profile, callParts.clock.now());
  // A paused phase calls no model. Leave the call open, as if this worker had died, for the worker that continues it.
  if ((decision === 'retry' || decision === 'wait') && commit.state.paused) return undefined;
  if (
    commit.state.modelCall.open?.purpose === 'reflection' &&
    (decision === 'fail' || decision === 'fail-after-outage')
  ) {
    skipAfterError(commit, response, callParts.model, durationMs);
    await completeStep(commit, parts);
    return {};
  }
  switch (decision) {
    case 'retry':
      await reserveRetry(commit, failed, callParts);
      return { after: response };
    case 'wait':
      await startAwaitingServer(commit, failed, callParts);
      return { outage: { before: countAttempt(outage), error: response } };
    case 'fail-after-outage':
      failAfterOutage(commit, failed, callParts.model);
      return {};
    case 'fail':
      failAfterError(commit, failed, callParts.model);
      return {};
  }
}

/** Builds the events of a response: to a normal call, to one that summarises the conversation, judges a claim, or reflects on a failed attempt. */
function toEvents(
  state: PhaseState,
  response: PhaseEvent | ChatAnswer,
  durationMs: number,
  { model }: RunParts,
): readonly PhaseEvent[] {
  if ('type' in response) return [response];
  const { open } = state.modelCall;
  switch (open?.purpose) {
    case 'judge':
      return buildJudgeEnded(state, getAdmittedCall(state.calls, open.callId!), response, model, durationMs);
    case 'summary':
      return [buildConversationSummarised(state, rebuildSummary(state, model), response, model, durationMs)];
    case 'reflection':
      return [buildReflectionRecorded(state, response, model, durationMs)];
    default:
      return [buildModelResponded(state, response, model, durationMs)];
  }
}

/** Calls the model. Throws when `signal` fires, which stops this worker; the signal of the options also fires when the turn is over. */
async function callModel(
  state: PhaseState,
  prompt: Prompt | undefined,
  parts: RunParts,
  options: CompleteOptions,
  signal: AbortSignal,
): Promise<ChatAnswer | ModelError> {
  const { request, ledger } = prompt ?? (await rebuildPrompt(state, parts));
  const { jobId } = state.start.identity;
  const recorder = openRecorder(state, parts.liveAnswers, options.previousFailure);
  const listeners = {
    onDelta: ({ content }: ChatDelta) => {
      if (areFaultPointsArmed) faultPoint('worker.during-model-call', jobId);
      if (content !== undefined) recorder?.add(content);
    },
    onRetry: ({ attempt }: RetryNotice) => recorder?.restart(attempt + 1),
  };
  try {
    const complete = { ...options, ...listeners, inputTokens: ledger.total };
    const answer = await completeInSpan(state, parts.model, request, complete);
    recorder?.end();
    return answer;
  } catch (error) {
    recorder?.discard();
    signal.throwIfAborted();
    if (!(error instanceof ModelError)) throw error;
    return error;
  }
}

/** Rebuilds the prompt of the open call. */
function rebuildPrompt(state: PhaseState, { blobs, tools, model, clock }: RunParts): Prompt | Promise<Prompt> {
  const { open } = state.modelCall;
  if (open?.purpose === 'summary') return rebuildSummary(state, model).prompt;
  if (open?.purpose === 'reflection') return buildPromptOfReflection(state);
  const commit = new PendingCommit(state, blobs, clock.now());
  if (open?.purpose === 'judge') return buildPromptOfJudge(commit, getAdmittedCall(state.calls, open.callId!));
  return buildNextPrompt(commit, tools, model);
}

/** The model of the open call: that of the phase, or that of a judge. */
async function findCalledModel(state: PhaseState, parts: RunParts): Promise<ConfiguredModel> {
  const { open } = state.modelCall;
  if (open?.purpose !== 'judge') return parts.model;
  return (await findJudgeModel(state, getAdmittedCall(state.calls, open.callId!), parts)) ?? parts.model;
}

/**
 * Reads the phase again after another process appended to it. A person who steered or paused it leaves the open call in
 * place, so its answer is not lost. If another worker took the call over, this one stops.
 */
async function reloadOwnCall(before: PhaseState, { repository }: RunParts): Promise<PhaseState> {
  const { jobId, phase } = before.start.identity;
  const current = await repository.loadPhase(jobId, phase);
  const open = current?.modelCall.open;
  const ownCall = before.modelCall.open;
  if (
    !current ||
    open?.leaseOwner !== ownCall?.leaseOwner ||
    open?.epoch !== ownCall?.epoch ||
    open?.step !== ownCall?.step
  )
    throw new TakenOver();
  return current;
}

async function appendEvents(
  { base, events, blobs, adopted }: PendingCommit,
  { repository, origin }: Pick<RunParts, 'repository' | 'origin'>,
): Promise<PhaseState> {
  try {
    const state = await repository.appendToPhase(base, events, { origin, blobs, ...adopted });
    await settleDailyBudget(base, events, state, { budgets: repository.budgets, origin });
    return state;
  } catch (error) {
    if (error instanceof WrongExpectedVersion || error instanceof StreamClosed)
      await releaseReservations(events, { budgets: repository.budgets, origin });
    throw error;
  }
}

async function append(commit: PendingCommit, { repository, origin, recentEvents }: RunParts): Promise<Committed> {
  const { base, events, prompt } = commit;
  const { jobId } = base.start.identity;
  const isIn = (...types: readonly string[]): boolean => events.some(({ type }) => types.includes(type));
  if (areFaultPointsArmed && isIn('ClaimAccepted', 'ClaimRefused')) faultPoint('worker.claim-due', jobId);
  const state = events.length === 0 ? base : await appendEvents(commit, { repository, origin });
  recentEvents.note(phaseStream(jobId, base.start.identity.phase), base, events, state);
  if (areFaultPointsArmed && isIn('ClaimRaised')) faultPoint('worker.claim-raised', jobId);
  return { state, prompt };
}
