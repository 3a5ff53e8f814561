import {
  admitNestedCall,
  hasCallEnded,
  listLastAnswerCalls,
  toHashedText,
  type AdmittedCall,
  type CallState,
  type PhaseState,
} from '@phaseline/domain';
import { ToolError } from '@phaseline/contracts';
import { contentHash } from '@phaseline/event-store';
import { parseOutcome, type InlineToolOutcome, type ToolRegistry } from '@phaseline/tools';
import type { PendingCommit } from '../step/pending-commit.js';
import { guardTodoClaim } from '../guards/guard-claims.js';
import { recordGuardedAdmission, type AdmissionParts } from './admit-guarded.js';
import { endCall, toFailure, writeFiles } from './end-call.js';
import { resolveCall } from './resolve-call.js';

/** An inline call is attempted once, within the step. */
const ONE_ATTEMPT = { attempts: 1, durationMs: 0 };

/** Runs one inline call and records its end, or what it waits for: nested calls, the runs of a claim, or the answer to a question. */
export async function runInlineCall(commit: PendingCommit, call: AdmittedCall, parts: AdmissionParts): Promise<void> {
  const { tools } = parts;
  const now = parts.clock.now();
  let outcome: InlineToolOutcome;
  try {
    refuseFalseClaim(commit, call);
    outcome = await runTool(commit, call, tools, now);
  } catch (error) {
    await endCall(commit, call, { ...toFailure(error), ...ONE_ATTEMPT });
    return;
  }
  outcome = await guardTodoClaim(commit, call, outcome, parts);
  if (outcome.wait) {
    commit.record(...outcome.wait);
    return;
  }
  if (outcome.openClaim) {
    commit.record(...outcome.openClaim);
    return;
  }
  for (const nested of outcome.nestedCalls ?? []) {
    const admission = admitNestedCall(commit.state, call, nested, tools.forPhase(commit.state), now);
    await recordGuardedAdmission(commit, admission, parts);
  }
  if (outcome.nestedCalls?.length) return;
  if (outcome.question) {
    const { deadlineAt, ...text } = outcome.question;
    const questionHash = contentHash(Buffer.from(toHashedText(text)));
    const times = { askedAt: now.toISOString(), deadlineAt: deadlineAt.toISOString() };
    const written = await writeFiles(commit, call, outcome.files ?? [], { blobs: [], resultFiles: [] });
    commit.record(...(outcome.events ?? []), ...written.events, {
      type: 'QuestionAsked',
      data: { callId: call.callId, ...text, questionHash, ...times },
    });
    return;
  }
  const { failure, events = [] } = outcome;
  if (failure) await endCall(commit, call, { isOk: false, ...failure, events, ...ONE_ATTEMPT });
  else await endCall(commit, call, { isOk: true, outcome, ...ONE_ATTEMPT });
}

async function runTool(
  { state, workspace }: PendingCommit,
  call: AdmittedCall,
  tools: ToolRegistry,
  now: Date,
): Promise<InlineToolOutcome> {
  const { tool, input } = resolveCall(tools, call, 'inline');
  const specsOf = (names: readonly string[]) => tools.forPhase(state).specsOf(names);
  return parseOutcome(tool, tool.run({ state, workspace, callId: call.callId, now, specsOf }, input));
}

/** Throws ToolError when the call claims completed work although a call before it in the same answer did not succeed. */
function refuseFalseClaim({ state }: PendingCommit, call: AdmittedCall): void {
  const failed = call.traits.includes('claims_completion') ? findFailedCallBefore(state, call) : undefined;
  if (!failed) return;
  throw new ToolError(
    'after_failed_call',
    `Not executed, because the earlier call of ${failed.name} in the same response failed. Read its result first.`,
  );
}

function findFailedCallBefore(state: PhaseState, call: AdmittedCall): CallState | undefined {
  for (const other of listLastAnswerCalls(state)) {
    if (other.callId === call.callId) return undefined;
    if (hasCallEnded(other) && other.status !== 'completed') return other;
  }
  return undefined;
}
