import { ToolError } from '@phaseline/contracts';
import { getAdmittedCall, type AdmittedCall, type PhaseState } from '@phaseline/domain';
import type { HookOccasion } from '@phaseline/hooks/runner';
import type { guardsSpec } from '@phaseline/pack-specs';
import type { ToolInput } from '@phaseline/tools';
import type { WorkspaceReader } from '@phaseline/workspace';

/** Maximum size in bytes of a file whose text hooks see with a call. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024;

type Input = ToolInput<typeof guardsSpec, 'run_guard'>;

/** Builds what hooks are told: about a call from the log, and about everything else from the arguments of `run_guard`. */
export async function buildOccasion(
  state: PhaseState,
  { point, callId, occasion = {} }: Input,
  workspace: WorkspaceReader,
): Promise<HookOccasion> {
  const {
    task,
    isRepeated = false,
    lastMessage,
    prompt = '',
    source = 'startup',
    message = '',
    title,
    type,
  } = occasion;
  switch (point) {
    case 'PreToolUse':
    case 'PermissionRequest':
      return { point, ...(await describeCall(state, callId, workspace)) };
    case 'PostToolUse': {
      const { ended, ...about } = await describeEndedCall(state, callId, workspace);
      return { point, ...about, result: ended };
    }
    case 'PostToolUseFailure': {
      const { ended, ...about } = await describeEndedCall(state, callId, workspace);
      const exitCode = ended.result?.['exitCode'];
      const error = typeof exitCode === 'number' ? `Exit code ${exitCode}\n${ended.text}` : ended.text;
      return { point, ...about, error };
    }
    case 'TaskCompleted':
      if (!task) throw new ToolError('guard_unusable', 'TaskCompleted needs the todo that is claimed.');
      return { point, task };
    case 'Stop':
    case 'SubagentStop':
      return { point, isRepeated, ...(lastMessage === undefined ? {} : { lastMessage }) };
    case 'UserPromptSubmit':
      return { point, prompt };
    case 'SessionStart':
      return { point, source, model: state.start.terms.model };
    case 'Notification':
      return { point, message, ...(title === undefined ? {} : { title }), type: type ?? 'other' };
    case 'PreCompact':
    case 'SessionEnd':
      return { point };
  }
}

async function describeCall(state: PhaseState, callId: string | undefined, workspace: WorkspaceReader) {
  const call = findCall(state, callId);
  const { path } = call.arguments;
  const text = typeof path === 'string' ? await readText(workspace, path) : undefined;
  return {
    call: { id: call.callId, tool: call.name, args: call.arguments },
    readText: (wanted: string) => (wanted === path ? text : undefined),
  };
}

async function describeEndedCall(state: PhaseState, callId: string | undefined, workspace: WorkspaceReader) {
  const about = await describeCall(state, callId, workspace);
  const record = state.work.calls.findLast((one) => one.callId === callId);
  return { ...about, ended: { text: findCall(state, callId).result ?? '', result: record?.result } };
}

function findCall({ calls }: PhaseState, callId: string | undefined): AdmittedCall {
  if (callId === undefined) throw new ToolError('guard_unusable', 'These guards are asked about a call.');
  return getAdmittedCall(calls, callId);
}

async function readText(workspace: WorkspaceReader, path: string): Promise<string | undefined> {
  const entry = Object.hasOwn(workspace.tree, path) ? workspace.tree[path] : undefined;
  if (!entry || entry.size > MAX_TEXT_BYTES) return undefined;
  const bytes = await workspace.read(path);
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
