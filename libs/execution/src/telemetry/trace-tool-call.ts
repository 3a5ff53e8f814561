import { isEncryptedJob, isSystemCall, type AdmittedCall, type PhaseState } from '@phaseline/domain';
import { genAi, own, traceWork, type WorkSpan } from '@phaseline/telemetry';
import type { CallResult } from '../call/end-call.js';
import type { PendingCommit } from '../step/pending-commit.js';

/** Runs an `inline` tool in a span. `run` records the end of the call in the commit, or what it waits for. */
export function traceInlineCall(commit: PendingCommit, call: AdmittedCall, run: () => Promise<void>): Promise<void> {
  return traceTool(commit.state, call, 'inline', async (span) => {
    await run();
    if (!span.isRecording) return;
    const ended = commit.state.calls.byId[call.callId];
    const failed = commit.events.findLast(({ type, data }) => type === 'ToolCallFailed' && data.callId === call.callId);
    span.set({ [own.toolStatus]: ended?.status });
    if (failed?.type === 'ToolCallFailed') span.fail(failed.data.code, failed.data.message);
    const content = ended && 'result' in ended ? ended.result : undefined;
    if (content !== undefined) span.setContent(genAi.toolResult, () => content);
  });
}

/** Runs a `remote` tool, with all its attempts, in a span. */
export function traceRemoteCall(
  state: PhaseState,
  call: AdmittedCall,
  run: () => Promise<CallResult>,
): Promise<CallResult> {
  return traceTool(state, call, 'remote', async (span) => {
    const result = await run();
    span.set({ [own.toolStatus]: result.isOk ? 'completed' : 'failed', [own.toolAttempts]: result.attempts });
    if (!result.isOk) span.fail(result.code, result.message);
    span.setContent(genAi.toolResult, () => (result.isOk ? result.outcome.content : result.message));
    return result;
  });
}

function traceTool<T>(
  state: PhaseState,
  call: AdmittedCall,
  lane: 'inline' | 'remote',
  run: (span: WorkSpan) => Promise<T>,
): Promise<T> {
  const { jobId, phase, agent } = state.start.identity;
  const spec = {
    name: `execute_tool ${call.name}`,
    place: { jobId, phase },
    isConfidential: isEncryptedJob(jobId),
  };
  return traceWork(spec, (span) => {
    if (!span.isRecording) return run(span);
    span.set({
      [genAi.operationName]: 'execute_tool',
      [genAi.toolName]: call.name,
      [genAi.toolType]: 'function',
      [genAi.toolCallId]: call.callId,
      [genAi.agentName]: agent.name,
      [own.toolLane]: lane,
      // Verifiers and guards are calls of the system, which name what they run.
      [own.checkName]: isSystemCall(call) ? findName(call) : undefined,
    });
    span.setContent(genAi.toolArguments, () => JSON.stringify(call.arguments));
    return run(span);
  });
}

function findName({ arguments: { name } }: AdmittedCall): string | undefined {
  return typeof name === 'string' ? name : undefined;
}
