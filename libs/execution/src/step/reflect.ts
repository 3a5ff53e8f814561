import { buildReflexionPrompt, hashRequest, type Prompt } from '@phaseline/context';
import { findDueReflection, findReflectionProblem, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import type { ChatAnswer } from '@phaseline/contracts';
import { computeCostMicroUsd, type ModelError } from '@phaseline/model';
import type { ConfiguredModel } from '../ports.js';
import { buildModelCallFailed, reserveCall } from './call-model.js';
import { reserveInDailyBudget } from './daily-budget.js';
import type { PendingCommit } from './pending-commit.js';
import type { StepParts } from './step-parts.js';

/**
 * Records the reservation of the call that asks for the next part of the reflection, or that there is no reflection because a budget does not
 * allow the call: the money is better spent on the work.
 */
export async function reserveReflection(commit: PendingCommit, parts: StepParts): Promise<void> {
  const prompt = buildPromptOfReflection(commit.state);
  const now = parts.clock.now();
  const started = reserveCall(commit.state, prompt, parts.model, parts.processId, now, 'reflection');
  const reserved = await reserveInDailyBudget(commit, started, parts);
  if (reserved.type === 'PhaseFailed') {
    commit.record(buildReflectionSkipped(commit.state, reserved.data));
    return;
  }
  commit.prompt = prompt;
  commit.record(reserved);
}

/** Builds the request for the part of the reflection that is due. */
export function buildPromptOfReflection(state: PhaseState): Prompt {
  return buildReflexionPrompt(state, getDueReflection(state), hashRequest);
}

/** Builds the event of an answer. The second one also says whether the reflection is refused. */
export function buildReflectionRecorded(
  state: PhaseState,
  answer: ChatAnswer,
  model: ConfiguredModel,
  durationMs: number,
): PhaseEvent {
  const part = getDueReflection(state);
  const text = answer.content.trim();
  const refused = part === 'prevention' ? findProblem(state, text) : undefined;
  return {
    type: 'ReflectionRecorded',
    data: {
      part,
      text,
      ...(refused === undefined ? {} : { refused }),
      step: state.money.spending.steps + 1,
      model: model.profile.name,
      usage: answer.usage,
      costMicroUsd: computeCostMicroUsd(model.profile, answer.usage),
      durationMs: Math.max(0, Math.round(durationMs)),
    },
  };
}

/** Records that a call failed for good. The phase continues without a reflection. */
export function skipAfterError(
  commit: PendingCommit,
  error: ModelError,
  model: ConfiguredModel,
  durationMs: number,
): void {
  commit.record(buildModelCallFailed(commit.state, error, model, durationMs));
  commit.record(buildReflectionSkipped(commit.state, error));
}

function buildReflectionSkipped(
  state: PhaseState,
  { code, message }: { readonly code: string; readonly message: string },
): PhaseEvent {
  return { type: 'ReflectionSkipped', data: { part: getDueReflection(state), code, message } };
}

function findProblem({ start, reflexion }: PhaseState, prevention: string): string | undefined {
  const { lastAttempt } = start.plan;
  return lastAttempt && findReflectionProblem(lastAttempt, `${reflexion?.assumption ?? ''}\n${prevention}`);
}

function getDueReflection(state: PhaseState): NonNullable<ReturnType<typeof findDueReflection>> {
  const part = findDueReflection(state);
  if (!part)
    throw new Error(
      `phase ${state.start.identity.phase} of job ${state.start.identity.jobId} has nothing to reflect on`,
    );
  return part;
}
