import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { PhaselineClient } from '@phaseline/client';
import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connect } from '../connection/connect.js';
import { followChain } from '../progress/follow-chain.js';
import { followToEnd } from '../progress/follow-to-end.js';
import type { SubmitRequest } from '@phaseline/contracts';
import { readDocuments } from './read-documents.js';

export interface SubmitOptions {
  readonly document?: readonly string[];
  readonly instructions?: string;
  /** `-` is standard input. */
  readonly instructionsFile?: string;
  /** File with the verifiers of the job. */
  readonly verifiers?: string;
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
  /** Name of an agent that starts for what the job writes to the cache. */
  readonly then?: string;
}

/** `phaseline submit AGENT`: submits a job, and with `--wait` or `--then` follows it to its end. */
export async function submit(context: CommandContext, agent: string, options: SubmitOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const instructions = await readInstructions(context, options);
  const files = await readDocuments(options.document ?? [], context);
  const verifiers = options.verifiers === undefined ? undefined : await readVerifiers(context, options.verifiers);
  const client = await connect(context);
  if (options.then !== undefined) await requireFollowOn(client, options.then, signal);
  const response = await client.submit(
    {
      agent,
      instructions,
      repository: toRepository(context, options),
      verifiers,
      budgets: options.budgetUsd === undefined ? undefined : { maxCostUsd: options.budgetUsd },
      labels: options.label,
      tenant: options.tenant,
      priority: options.priority,
      encrypt: options.encrypt,
      idempotencyKey: options.idempotencyKey,
    },
    { files, signal },
  );
  if (options.then !== undefined) return followChain(context, client, response.jobId, options.then);
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

/** Throws UsageError, before anything is submitted, when no job of the agent would be started. */
async function requireFollowOn(client: PhaselineClient, agent: string, signal: AbortSignal): Promise<void> {
  const { items } = await client.agents({ signal });
  if (items.some(({ name, startWhen }) => name === agent && startWhen)) return;
  const names = items.filter(({ startWhen }) => startWhen).map(({ name }) => name);
  throw new UsageError(
    `--then names an agent that starts by itself (startWhen in its agent.yaml), and ${agent} does not. ` +
      (names.length > 0 ? `These do: ${names.join(', ')}.` : 'No agent of this server does.'),
  );
}

function toRepository(
  { currentDirectory }: CommandContext,
  { repository, ref, repositorySecret: secret }: SubmitOptions,
): SubmitRequest['repository'] {
  if (repository === undefined) return undefined;
  const place = repository.includes('://') ? { url: repository } : { path: resolve(currentDirectory, repository) };
  return { ...place, ref, secret };
}

/** Reads the file of `--verifiers`. Throws UsageError with the place of each mistake. */
async function readVerifiers({ currentDirectory }: CommandContext, file: string): Promise<SubmitRequest['verifiers']> {
  // Loaded on demand, because most submissions need no definitions.
  const { formatProblem, InvalidDefinitions, readSubmittedVerifiers } = await import('@phaseline/definitions');
  try {
    return await readSubmittedVerifiers(resolve(currentDirectory, file));
  } catch (error) {
    if (!(error instanceof InvalidDefinitions)) throw error;
    const problems = error.problems.map((problem) => `\n  ${formatProblem(problem)}`).join('');
    throw new UsageError(`Nothing was submitted. Correct the file of --verifiers:${problems}`);
  }
}

async function readInstructions(
  { input, currentDirectory }: CommandContext,
  options: SubmitOptions,
): Promise<string | undefined> {
  if (options.instructionsFile === undefined) return options.instructions;
  if (options.instructionsFile === '-') return readAll(input);
  return readFile(resolve(currentDirectory, options.instructionsFile), 'utf8');
}
