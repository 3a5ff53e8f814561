import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { renderWorkflow } from './render-workflow.js';

/** `phaseline workflow JOB`: shows the states and transitions of the workflow of a job, and in which state it is. */
export async function showWorkflow(context: CommandContext, given: string): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const [workflow, job, phases] = await Promise.all([
    client.workflow(jobId, { signal }),
    client.get(jobId, { signal }),
    client.phases(jobId, { signal }),
  ]);
  const visits = new Map<string, number>();
  for (const { state } of phases) visits.set(state, (visits.get(state) ?? 0) + 1);
  const current = job.phase?.state;
  if (out.isStructured) {
    const states = workflow.states.map((state) => ({ ...state, phases: visits.get(state.name) ?? 0 }));
    out.writeDocument({ ...workflow, states, status: job.status, ...(current === undefined ? {} : { current }) });
  } else out.writeLines(...renderWorkflow(workflow, { status: job.status, current, visits }, out.paint));
  return exitCode.ok;
}
