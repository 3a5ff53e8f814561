import { readFile } from 'node:fs/promises';
import type { PhaselineClient } from '@phaseline/client';
import type { CallId, JobId } from '@phaseline/contracts';
import { UsageError } from '../command/command-errors.js';
import type { CommandContext } from '../command/command-context.js';
import type { ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { control } from '../control/control.js';
import { findInboxItem, NO_VERSION } from './find-inbox-item.js';

export interface ApproveOptions {
  readonly amend?: string;
  readonly argumentsHash?: string;
}

/** `phaseline approve`: approves a call with the arguments that it has now, or with those in a file. */
export async function approve(
  context: CommandContext,
  job: string,
  callId: CallId,
  { amend, argumentsHash }: ApproveOptions,
): Promise<ExitCode> {
  const { client, jobId } = await connectToJob(context, job);
  const amended = amend === undefined ? undefined : await readArguments(amend);
  const hash = argumentsHash ?? (await findArgumentsHash(client, jobId, callId, context.signal));
  const request = { callId, argumentsHash: hash, ...(amended ? { arguments: amended } : {}) };
  return control(context, 'approve', [jobId], {}, request);
}

async function findArgumentsHash(
  client: PhaselineClient,
  jobId: JobId,
  callId: CallId,
  signal: AbortSignal,
): Promise<string> {
  const item = await findInboxItem(client, jobId, callId, 'approval', signal);
  if (item && !item.approval)
    throw new UsageError(
      `The arguments of the call ${callId} cannot be read: ${item.unreadableReason ?? 'no reason given'}`,
    );
  return item?.approval?.argumentsHash ?? NO_VERSION;
}

async function readArguments(path: string): Promise<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    throw new UsageError(`${path} cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${path} must contain a JSON object with the arguments of the call.`);
  return value as Record<string, unknown>;
}
