import {
  advanceOrUnstick,
  buildModelAwaited,
  buildPhaseFailed,
  dueWork,
  findDueReflection,
  requestDecision,
  requestHealthChecks,
} from '@phaseline/domain';
import type { ModelError } from '@phaseline/model';
import { recordEndedCall } from '../guards/decide-ended-call.js';
import { settleCompaction, type DecidedCompaction } from '../guards/decide-compaction.js';
import { notifyHooks } from '../guards/notify-hooks.js';
import { settleGuards } from '../guards/settle-guards.js';
import { runInlineCall } from '../call/run-inline-call.js';
import { canDecideMoments, decideMoments } from '../guards/decide-moments.js';
import { guardPhaseEnd } from '../guards/guard-claims.js';
import type { ConfiguredModel } from '../ports.js';
import { traceInlineCall } from '../telemetry/trace-tool-call.js';
import { archiveTodos } from './archive-todos.js';
import { buildModelCallFailed, buildModelPhaseFailed, buildNextPrompt, reserveCall } from './call-model.js';
import { reserveInDailyBudget } from './daily-budget.js';
import { readGateInput } from './gate-input.js';
import { reserveJudge } from './judge-claim.js';
import type { PendingCommit } from './pending-commit.js';
import { reserveReflection } from './reflect.js';
import { recordExperience } from './record-experience.js';
import { prepareNextCall } from './shorten-prompt.js';
import type { StepParts } from './step-parts.js';

/** Runs the inline calls that are due, asks the judges, and does what follows from the decisions of guards. When nothing is outstanding, decides what follows and reserves the next call. */
export async function completeStep(commit: PendingCommit, parts: StepParts): Promise<void> {
  const { source } = parts;
  source.decideApprovals(commit);
  for (let due = dueWork(commit.state); ; due = dueWork(commit.state)) {
    const { kind } = due;
    if (kind === 'guards' && due.wait.callId !== undefined) {
      await settleGuards(commit, due.wait, parts);
      source.decideApprovals(commit);
      continue;
    }
    if (kind !== 'inline-call' && kind !== 'judge') break;
    const { call } = due;
    if (kind === 'judge') await source.judge(commit, call, () => reserveJudge(commit, call, parts));
    else {
      await source.runInlineCall(commit, call, () =>
        traceInlineCall(commit, call, () => runInlineCall(commit, call, parts)),
      );
      await recordEndedCall(commit, call.callId, source);
    }
    source.decideApprovals(commit);
  }
  if (!canDecideMoments(commit.state)) {
    commit.record(...notifyHooks(commit.state));
    return;
  }
  const compaction = await settleCompaction(commit, parts);
  await decideMoments(commit, parts);
  if (dueWork(commit.state).kind !== 'advance') return;
  const health = requestHealthChecks(commit.state);
  if (health.length > 0) {
    commit.record(...health);
    return;
  }
  const decided = advanceOrUnstick(commit.state, await readGateInput(commit));
  const advance = await guardPhaseEnd(commit, decided, parts);
  const end = advance.events.at(-1);
  if (advance.next === 'ended' && end) {
    commit.record(...advance.events.slice(0, -1));
    // A failed phase is retried with the same list, so archive only when it completed.
    if (end.type === 'PhaseCompleted') archiveTodos(commit, end.data, source);
    await recordExperience(commit, end, source);
    commit.record(end);
    return;
  }
  commit.record(...advance.events);
  if (advance.next === 'decide') {
    const { controller } = commit.state.start.plan;
    commit.record(requestDecision(commit.state, parts.tools.forPhase(commit.state).find(controller?.tool ?? '')));
    // The decision may be an inline call, which is due now.
    return completeStep(commit, parts);
  }
  if (advance.next === 'call-model') await reserveNextCall(commit, parts, compaction);
  // No message wakes this worker for a judge: it asks the judge of the claim that was just raised itself.
  else if (dueWork(commit.state).kind === 'judge') await completeStep(commit, parts);
}

/**
 * Reserves the next call, or first the call that shortens a conversation that has grown too long. Reserves none while command guards decide about
 * that; `compaction` is what they decided.
 */
export async function reserveNextCall(
  commit: PendingCommit,
  parts: StepParts,
  compaction?: DecidedCompaction,
): Promise<void> {
  const { source, tools, model, processId, clock } = parts;
  const due = dueWork(commit.state);
  // The attempt that failed or was taken over was that of a judge.
  if (due.kind === 'judge') return source.judge(commit, due.call, () => reserveJudge(commit, due.call, parts));
  if (findDueReflection(commit.state)) {
    await source.reflect(commit, () => reserveReflection(commit, parts));
    if (commit.state.modelCall.open) return;
  }
  const next = await source.prepareCall(commit, {
    build: async () => ({ prompt: await buildNextPrompt(commit, tools, model) }),
    shortenAndBuild: () => prepareNextCall(commit, model, parts, compaction),
  });
  if (!next) return;
  const { prompt, purpose } = next;
  commit.prompt = prompt;
  const started = reserveCall(commit.state, prompt, model, processId, clock.now(), purpose);
  commit.record(await reserveInDailyBudget(commit, started, parts));
}

/** A failed attempt at a call of the model, and how long it took. */
interface FailedAttempt {
  readonly error: ModelError;
  readonly durationMs: number;
}

/**
 * Records a failed attempt that may have been charged and reserves the next one, whose own worst case must still be
 * affordable.
 */
export async function reserveRetry(commit: PendingCommit, failed: FailedAttempt, parts: StepParts): Promise<void> {
  commit.record(buildModelCallFailed(commit.state, failed.error, parts.model, failed.durationMs));
  await reserveNextCall(commit, parts);
}

/**
 * Records that the phase waits for its unreachable model server, once. An attempt that certainly cost nothing keeps the
 * call and its reservation. One that may be charged keeps its reservation, and the next attempt gets its own.
 */
export async function startAwaitingServer(
  commit: PendingCommit,
  failed: FailedAttempt,
  parts: StepParts,
): Promise<void> {
  const { error } = failed;
  if (error.mayBeCharged) await reserveRetry(commit, failed, parts);
  const awaited = buildModelAwaited(commit.state, error, parts.model.profile.retries.waitMs, parts.clock.now());
  if (awaited) commit.record(awaited);
}

/** Ends a phase whose model server did not recover in time. An immediate retry would not help. */
export function failAfterOutage(
  commit: PendingCommit,
  { error, durationMs }: FailedAttempt,
  model: ConfiguredModel,
): void {
  const { since } = commit.state.modelCall.awaited ?? {};
  commit.record(buildModelCallFailed(commit.state, error, model, durationMs));
  const message = `${error.message}. The server has been unreachable since ${since}; retry the job once it is back`;
  commit.record(buildPhaseFailed('model_failed', message, false));
}

/** Ends the phase. An attempt that certainly cost nothing first releases its reservation, and the time of each counts in a turn. */
export function failAfterError(
  commit: PendingCommit,
  { error, durationMs }: FailedAttempt,
  model: ConfiguredModel,
): void {
  if (!error.mayBeCharged || commit.state.turn)
    commit.record(buildModelCallFailed(commit.state, error, model, durationMs));
  commit.record(buildModelPhaseFailed(error));
}
