import { admitCall, buildPhaseFailed, loadNamedTools, type PhaseEvent } from '@phaseline/domain';
import { recordGuardedAdmission } from '../call/admit-guarded.js';
import { completeStep, reserveNextCall } from './complete-step.js';
import type { PendingCommit } from './pending-commit.js';
import { refreshMemory } from './refresh-summary.js';
import type { StepParts } from './step-parts.js';

/**
 * Decides what a worker records when it begins to work on a phase: takes over a call that its lease owner left, or runs pending inline calls and
 * advances the phase when its tools have ended.
 */
export async function decidePickUp(commit: PendingCommit, parts: StepParts): Promise<void> {
  const { modelCall, start } = commit.state;
  const { open, takeovers, epoch } = modelCall;
  if (!open) {
    await refreshMemory(commit, parts.source);
    await completeStep(commit, parts);
    return;
  }
  if (takeovers >= start.terms.limits.takeovers) {
    const message = `${takeovers + 1} workers in a row were lost during the same model call`;
    commit.record(buildPhaseFailed('worker_lost', message, true));
    return;
  }
  commit.record({
    type: 'PhaseTakenOver',
    data: { epoch: epoch + 1, leaseOwner: parts.processId, previousLeaseOwner: open.leaseOwner },
  });
  await reserveNextCall(commit, parts);
}

/** Records an answer and the outcome of its calls, then runs everything that need not wait. */
export async function recordAnswer(
  commit: PendingCommit,
  answers: readonly PhaseEvent[],
  parts: StepParts,
): Promise<void> {
  commit.record(...answers);
  const [answer] = answers;
  if (answer?.type === 'ModelResponded') {
    const now = parts.clock.now();
    const tools = parts.tools.forPhase(commit.state);
    const before = commit.events.length;
    for (const index of answer.data.calls.keys())
      await recordGuardedAdmission(commit, admitCall(commit.state, answer.data, index, tools, now), parts);
    commit.record(...loadNamedTools(commit.state, commit.events.slice(before)));
  }
  await completeStep(commit, parts);
}
