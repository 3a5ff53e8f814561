import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { CommandContext } from '../command/command-context.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { followToEnd } from '../progress/follow-to-end.js';
import type { SubmitRequest } from '@phaseline/contracts';
import { readDocuments } from './read-documents.js';

export interface SubmitOptions {
  readonly document?: readonly string[];
  readonly instructions?: string;
  /** `-` is standard input. */
  readonly instructionsFile?: string;
  readonly budgetUsd?: number;
  readonly label?: Record<string, string>;
  readonly tenant?: string;
  readonly priority?: number;
  readonly idempotencyKey?: string;
  readonly encrypt?: boolean;
  /** Path or URL. */
  readonly repository?: string;
  readonly ref?: string;
  readonly repositorySecret?: string;
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
      instructions,
      repository: toRepository(context, options),
      budgets: options.budgetUsd === undefined ? undefined : { maxCostUsd: options.budgetUsd },
      labels: options.label,
      tenant: options.tenant,
      priority: options.priority,
      encrypt: options.encrypt,
      idempotencyKey: options.idempotencyKey,
    },
    { files, signal },
  );
  if (options.wait) return followToEnd(context, client, response.jobId);
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

function toRepository(
  { currentDirectory }: CommandContext,
  { repository, ref, repositorySecret: secret }: SubmitOptions,
): SubmitRequest['repository'] {
  if (repository === undefined) return undefined;
  const place = repository.includes('://') ? { url: repository } : { path: resolve(currentDirectory, repository) };
  return { ...place, ref, secret };
}

async function readInstructions(
  { input, currentDirectory }: CommandContext,
  options: SubmitOptions,
): Promise<string | undefined> {
  if (options.instructionsFile === undefined) return options.instructions;
  if (options.instructionsFile === '-') return readAll(input);
  return readFile(resolve(currentDirectory, options.instructionsFile), 'utf8');
}
