import type { HoldRecord } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { connectToJob } from '../connection/find-job.js';
import { renderHolds } from './render-holds.js';

export interface HoldOptions {
  /** Recorded in the log. */
  readonly reason: string;
}

/** `phaseline holds place JOB --reason TEXT`: prevents that anything of a job is removed or erased. */
export async function placeHold(context: CommandContext, given: string, { reason }: HoldOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const response = await client.holds.place(jobId, { reason }, { signal });
  if (out.isStructured) out.writeDocument(response);
  else out.writeLines(response.changed ? `${jobId} is on hold.` : `${jobId} was already on hold.`);
  return exitCode.ok;
}

/** `phaseline holds release JOB --reason TEXT`: releases the legal hold on a job. */
export async function releaseHold(context: CommandContext, given: string, { reason }: HoldOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const response = await client.holds.release(jobId, { reason }, { signal });
  if (out.isStructured) out.writeDocument(response);
  else out.writeLines(response.changed ? `${jobId}: the hold was released.` : `${jobId} was not on hold.`);
  return exitCode.ok;
}

/** `phaseline holds list`: shows the legal holds on the jobs of the caller's tenants. */
export async function listHolds(context: CommandContext, { tenant }: { readonly tenant?: string }): Promise<ExitCode> {
  const { out, signal } = context;
  const holds: HoldRecord[] = [];
  for await (const hold of (await connect(context)).holds.list({ tenant, limit: 200 }, { signal })) holds.push(hold);
  if (out.isStructured) out.writeDocument({ items: holds });
  else out.writeLines(...renderHolds(holds, { paint: out.paint, columns: out.columns }));
  return exitCode.ok;
}
