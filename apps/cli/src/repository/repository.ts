import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { PhaselineClient, RepositoryOutputRecord } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { renderOutput, renderRepository } from './render-repository.js';

/** Time between two checks whether an output was made. */
const POLL_MS = 500;

/** `phaseline repository show JOB`: shows the repository of a job and its outputs. */
export async function showRepository(context: CommandContext, given: string): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const repository = await client.repository.get(jobId, { signal });
  if (out.isStructured) out.writeDocument(repository);
  else out.writeLines(...renderRepository(repository));
  return exitCode.ok;
}

export interface PatchOptions {
  /** Path of the file; standard output if absent. */
  readonly out?: string;
  /** Makes it although no accepted claim covers the changes. */
  readonly draft?: boolean;
}

/** `phaseline repository patch JOB`: makes a patch of the changes of a job and writes it. */
export async function writePatch(context: CommandContext, given: string, options: PatchOptions): Promise<ExitCode> {
  const { out, signal, currentDirectory } = context;
  const { client, jobId } = await connectToJob(context, given);
  const { output } = await client.repository.requestPatch(jobId, { signal, draft: options.draft });
  const made = await waitForOutput(client, jobId, output, signal);
  if (made.status === 'failed') return reportFailure(context, made);
  const patch = await client.repository.readPatch(jobId, { signal });
  if (options.out !== undefined) await writeFile(resolve(currentDirectory, options.out), patch);
  if (out.isStructured) out.writeDocument({ jobId, ...made, bytes: patch.byteLength });
  else if (options.out !== undefined) out.writeMessage(...renderOutput(made), `Written to ${options.out}.`);
  else out.writeFile(patch);
  return exitCode.ok;
}

export interface PublishOptions {
  readonly branch?: string;
  readonly base?: string;
  readonly title?: string;
  readonly body?: string;
  readonly draft?: boolean;
}

/** `phaseline repository branch JOB`: pushes the changes of a job as a branch. */
export async function publishBranch(
  context: CommandContext,
  given: string,
  options: PublishOptions,
): Promise<ExitCode> {
  return publish(context, given, 'branch', options);
}

/** `phaseline repository pull-request JOB`: pushes the changes of a job and opens a pull request. */
export async function openPullRequest(
  context: CommandContext,
  given: string,
  options: PublishOptions,
): Promise<ExitCode> {
  return publish(context, given, 'pull_request', options);
}

async function publish(
  context: CommandContext,
  given: string,
  kind: 'branch' | 'pull_request',
  { branch, base, title, body, draft }: PublishOptions,
): Promise<ExitCode> {
  const { out, signal } = context;
  const { client, jobId } = await connectToJob(context, given);
  const { output } = await client.repository.publish(jobId, { kind, branch, base, title, body, draft }, { signal });
  const made = await waitForOutput(client, jobId, output, signal);
  if (made.status === 'failed') return reportFailure(context, made);
  if (out.isStructured) out.writeDocument({ jobId, ...made });
  else out.writeLines(...renderOutput(made));
  return exitCode.ok;
}

async function waitForOutput(
  client: PhaselineClient,
  jobId: JobId,
  output: string,
  signal: AbortSignal,
): Promise<RepositoryOutputRecord> {
  for (;;) {
    const { outputs } = await client.repository.get(jobId, { signal });
    const found = outputs.find((one) => one.output === output);
    if (found && found.status !== 'open') return found;
    await new Promise((wake) => setTimeout(wake, POLL_MS));
    signal.throwIfAborted();
  }
}

function reportFailure({ out }: CommandContext, made: RepositoryOutputRecord): ExitCode {
  if (out.isStructured) out.writeDocument(made);
  else out.writeMessage(...renderOutput(made));
  return exitCode.refused;
}
