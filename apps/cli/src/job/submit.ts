import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, exitCodeOfStatus, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { followJob } from '../progress/follow-job.js';
import { readDocuments } from './read-documents.js';
import { renderOutcome } from './render-job.js';

export interface SubmitOptions {
  readonly document?: readonly string[];
  readonly instructions?: string;
  /** `-` is standard input. */
  readonly instructionsFile?: string;
  readonly budgetUsd?: number;
  readonly label?: Readonly<Record<string, string>>;
  readonly tenant?: string;
  readonly priority?: number;
  readonly idempotencyKey?: string;
  readonly encrypt?: boolean;
  readonly wait?: boolean;
}

/** `phaseline submit AGENT`: submits a job, and with `--wait` follows it to its end. */
export async function submit(context: CommandContext, agent: string, options: SubmitOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const instructions = await readInstructions(context, options);
  const files = await readDocuments(options.document ?? [], context);
  const client = await connect(context);
  const response = await client.submit(
    {
      agent,
      ...(instructions === undefined ? {} : { instructions }),
      ...(options.budgetUsd === undefined ? {} : { budgets: { maxCostUsd: options.budgetUsd } }),
      ...(options.label === undefined ? {} : { labels: { ...options.label } }),
      ...(options.tenant === undefined ? {} : { tenant: options.tenant }),
      ...(options.priority === undefined ? {} : { priority: options.priority }),
      ...(options.encrypt ? { encrypt: true } : {}),
      ...(options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey }),
    },
    { files, signal },
  );
  if (!options.wait) {
    if (out.isStructured) out.writeDocument(response);
    else {
      out.writeLines(response.jobId);
      out.writeMessage(
        response.created
          ? `Follow it with: phaseline watch ${response.jobId}`
          : `This idempotency key was already used. The job is ${response.status}.`,
      );
    }
    return exitCode.ok;
  }
  if (out.isStructured) {
    const job = await client.wait(response.jobId, { signal });
    out.writeDocument(job);
    return exitCodeOfStatus(job.status);
  }
  await followJob(client, response.jobId, context);
  const job = await client.get(response.jobId, { signal });
  out.writeLines(...renderOutcome(job, out.paint));
  return exitCodeOfStatus(job.status);
}

async function readInstructions(
  { input, currentDirectory }: CommandContext,
  options: SubmitOptions,
): Promise<string | undefined> {
  if (options.instructionsFile === undefined) return options.instructions;
  if (options.instructionsFile === '-') return readAll(input);
  return readFile(resolve(currentDirectory, options.instructionsFile), 'utf8');
}
