import type { PromoteTraceRequest, TraceScopeChangeRecord, WithdrawTraceRequest } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';

/** `phaseline learning promote ID`: lets agents of other jobs read a learning trace. */
export async function promoteLearningTrace(
  context: CommandContext,
  id: string,
  request: PromoteTraceRequest,
): Promise<ExitCode> {
  const { signal } = context;
  return report(context, await (await connect(context)).learning.promote(id, request, { signal }));
}

/** `phaseline learning withdraw ID`: takes the promotion of a learning trace back. */
export async function withdrawLearningTrace(
  context: CommandContext,
  id: string,
  request: WithdrawTraceRequest,
): Promise<ExitCode> {
  const { signal } = context;
  return report(context, await (await connect(context)).learning.withdraw(id, request, { signal }));
}

function report({ out }: CommandContext, change: TraceScopeChangeRecord): ExitCode {
  if (out.isStructured) out.writeDocument(change);
  else out.writeLines(`${change.id}: ${describeScope(change)}${change.changed ? '' : ' Nothing was changed.'}`);
  return exitCode.ok;
}

function describeScope({ scope }: TraceScopeChangeRecord): string {
  if (scope === 'job') return 'Only agents of its own job can read it.';
  return scope === 'project'
    ? 'Agents of all jobs of its project can read it.'
    : 'Agents of all jobs of its tenant can read it.';
}
