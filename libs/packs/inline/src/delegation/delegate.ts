import type { JsonObject } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';
import {
  computeChildShare,
  DELEGATE,
  DELEGATED_DIRECTORY,
  getAdmittedCall,
  isDelegating,
  listCalls,
  MAX_OPEN_CHILD_JOBS,
  parseDeadline,
  type ChildJob,
  type PhaseState,
} from '@phaseline/domain';
import { delegationSpec } from '@phaseline/pack-specs';
import { implementPack, type InlineToolOutcome, type ToolRun } from '@phaseline/tools';

const delegate: ToolRun<typeof delegationSpec, typeof DELEGATE> = async (
  { state, callId, now },
  { agent, task, parameters, inputs, successCriteria, maxTokens, timeout },
) => {
  const { child } = getAdmittedCall(state.calls, callId);
  if (child) return reportEnd(callId, child);
  const open = listCalls(state).filter(isDelegating).length;
  if (open >= MAX_OPEN_CHILD_JOBS)
    throw new ToolError(
      'too_many_child_jobs',
      `Not delegated: ${open} child jobs of this phase have not ended. Wait for them.`,
    );
  const end = parseDeadline(timeout, now);
  if ('problem' in end)
    throw new ToolError('bad_timeout', 'Not delegated: the timeout must be a time span such as 30m.');
  const share = computeChildShare(state);
  if (!share)
    throw new ToolError('no_budget', 'Not delegated: the remaining budget of this job is too small to share it.');
  return {
    content: '',
    wait: [
      {
        type: 'ChildJobRequested',
        data: {
          ...{ callId, agent, task, maxTokens, ...share },
          ...(successCriteria === undefined ? {} : { successCriteria }),
          // The schema admits JSON alone.
          ...(parameters === undefined ? {} : { parameters: parameters as JsonObject }),
          inputs: inputs.map((path) => findInput(state, path)),
          timeoutMs: end.getTime() - now.getTime(),
        },
      },
    ],
  };
};

function findInput({ tree }: PhaseState, path: string): ChildJob['inputs'][number] {
  const entry = Object.hasOwn(tree, path) ? tree[path] : undefined;
  if (!entry) throw new ToolError('file_missing', `Not delegated: there is no file '${path}' in the workspace.`);
  return { path, hash: entry.hash, size: entry.size };
}

function reportEnd(callId: string, { agent, end }: ChildJob): InlineToolOutcome {
  if (!end) throw new Error(`the child job of the call ${callId} has not ended`);
  if (end.outcome !== 'completed') {
    const advice = 'Do the work yourself, delegate it differently, or note that it is missing.';
    const reason = `${end.summary} ${advice}`;
    if (end.outcome === 'refused')
      throw new ToolError('child_job_refused', `The job of ${agent} was not started: ${reason}`);
    if (end.outcome === 'failed') throw new ToolError('child_job_failed', `The job of ${agent} failed: ${reason}`);
    throw new ToolError('child_job_cancelled', `The job of ${agent} was cancelled: ${reason}`);
  }
  const files = end.files.map(({ path, hash, size }) => ({
    path: `${DELEGATED_DIRECTORY}/${callId}/${path}`,
    stored: { hash, size },
  }));
  const listed = files.map(({ path }) => `- ${path}`);
  return {
    content: [
      `The job of ${agent} completed.`,
      end.summary,
      ...(listed.length > 0 ? ['Its files:', ...listed] : []),
      ...(end.omittedFiles > 0 ? [`${end.omittedFiles} more files were left out.`] : []),
    ].join('\n'),
    files,
  };
}

/** Tool that delegates a task to another agent. */
export const delegationPack = implementPack(delegationSpec, { [DELEGATE]: delegate });
