import type { LearningTraceRecord, LearningTracesQuery } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { renderLearningTrace, renderLearningTraces } from './render-learning-traces.js';

export type LearningTracesOptions = Pick<
  LearningTracesQuery,
  'type' | 'action' | 'scope' | 'agent' | 'project' | 'limit'
> & {
  readonly search?: string;
  readonly job?: string;
};

/** `phaseline learning traces`: lists what guards, checks and people refused or decided, newest first, or what matches a text. */
export async function listLearningTraces(
  context: CommandContext,
  { search: text, job: jobId, limit, ...filter }: LearningTracesOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const client = await connect(context);
  const traces: LearningTraceRecord[] = [];
  for await (const trace of client.learningTraces(
    { ...filter, text, jobId, limit: Math.min(limit, 200) },
    { signal },
  )) {
    traces.push(trace);
    if (traces.length >= limit) break;
  }
  if (out.isStructured) out.writeDocument({ items: traces });
  else if (traces.length === 0) out.writeMessage('No learning trace matches.');
  else out.writeLines(...renderLearningTraces(traces, out.paint.dim, out.columns));
  return exitCode.ok;
}

/** `phaseline learning trace ID`: shows a learning trace. */
export async function showLearningTrace(context: CommandContext, id: string): Promise<ExitCode> {
  const { out, signal } = context;
  const trace = await (await connect(context)).learningTrace(id, { signal });
  if (out.isStructured) out.writeDocument(trace);
  else out.writeLines(...renderLearningTrace(trace));
  return exitCode.ok;
}
