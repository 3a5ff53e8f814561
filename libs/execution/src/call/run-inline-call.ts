import { admitNestedCall, listLastAnswerCalls, type CallState, type PhaseState } from '@phaseline/domain';
import { ToolError } from '@phaseline/contracts';
import type { InlineTool, InlineToolOutcome, ToolRegistry } from '@phaseline/tools';
import type { PendingCommit } from '../step/pending-commit.js';
import { endCall, toFailure } from './end-call.js';
import { resolveCall } from './resolve-call.js';

/** An inline call is attempted once, within the step. */
const ONE_ATTEMPT = { attempts: 1, durationMs: 0 };

/** Runs one inline call and records its end, or the nested calls that it waits for. */
export async function runInlineCall(
  commit: PendingCommit,
  call: CallState,
  tools: ToolRegistry,
  now: Date,
): Promise<void> {
  let ran: { readonly tool: InlineTool; readonly outcome: InlineToolOutcome };
  try {
    refuseFalseClaim(commit, call, tools);
    ran = await runTool(commit, call, tools);
  } catch (error) {
    await endCall(commit, call, { ...toFailure(error), ...ONE_ATTEMPT });
    return;
  }
  const { tool, outcome } = ran;
  for (const nested of outcome.nestedCalls ?? [])
    commit.record(admitNestedCall(commit.state, call, nested, tools.forPhase(commit.state), now));
  if (outcome.nestedCalls?.length) return;
  await endCall(commit, call, { isOk: true, outcome, ...ONE_ATTEMPT }, tool);
}

async function runTool({ state, workspace }: PendingCommit, call: CallState, tools: ToolRegistry) {
  const { tool, input } = resolveCall(tools, call, 'inline');
  const specsOf = (names: readonly string[]) => tools.forPhase(state).specsOf(names);
  return { tool, outcome: await tool.run({ state, workspace, callId: call.callId, specsOf }, input) };
}

/** Throws ToolError when the call claims completed work although a call before it in the same answer did not succeed. */
function refuseFalseClaim({ state }: PendingCommit, call: CallState, tools: ToolRegistry): void {
  const claimsCompletion = tools.find(call.name)?.traits.includes('claims_completion');
  const failed = claimsCompletion ? findFailedCallBefore(state, call) : undefined;
  if (!failed) return;
  throw new ToolError(
    'after_failed_call',
    `Not done: the call to ${failed.name} before it in the same answer did not succeed. Look at its result first.`,
  );
}

function findFailedCallBefore(state: PhaseState, call: CallState): CallState | undefined {
  for (const other of listLastAnswerCalls(state)) {
    if (other.callId === call.callId) return undefined;
    if (other.status === 'failed' || other.status === 'denied') return other;
  }
  return undefined;
}
