import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { editedResponseInputSchema, type EditedResponseInput, type ForkInput } from '@phaseline/client';
import type { ForkMode, Unrecorded } from '@phaseline/contracts';
import type { CommandContext } from '../command/command-context.js';
import { UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { followToEnd } from '../progress/follow-to-end.js';

export interface ForkOptions {
  readonly at: number;
  readonly mode?: ForkMode;
  readonly unrecorded?: Unrecorded;
  readonly model?: Readonly<Record<string, string>>;
  readonly agent?: string;
  readonly phaseLimit?: Record<string, number>;
  readonly budgetUsd?: number;
  /** `-` is standard input. */
  readonly response?: string;
  readonly label?: Record<string, string>;
  readonly idempotencyKey?: string;
  readonly wait?: boolean;
}

/** `phaseline fork JOB --at N`: creates a job that continues from a point of another job. */
export async function fork(context: CommandContext, given: string, options: ForkOptions): Promise<ExitCode> {
  const { out, signal } = context;
  const request = await buildRequest(context, options);
  const { client, jobId } = await connectToJob(context, given);
  const forked = await client.fork(jobId, request, { signal });
  if (options.wait) return followToEnd(context, client, forked.jobId);
  if (out.isStructured) out.writeDocument(forked);
  else {
    out.writeLines(forked.jobId);
    out.writeMessage(
      forked.created
        ? `Forked at position ${forked.position} (${forked.mode}). Compare both jobs with: phaseline compare ${jobId} ${forked.jobId}`
        : `This idempotency key was already used. The fork is ${forked.status}.`,
    );
  }
  return exitCode.ok;
}

async function buildRequest(context: CommandContext, options: ForkOptions): Promise<ForkInput> {
  const { at, mode, unrecorded, model, agent, phaseLimit, budgetUsd, response, label, idempotencyKey } = options;
  return {
    position: at,
    mode,
    unrecorded,
    models: model,
    agent,
    limits: phaseLimit,
    budgets: budgetUsd === undefined ? undefined : { maxCostUsd: budgetUsd },
    response: response === undefined ? undefined : await readResponse(context, response),
    labels: label,
    idempotencyKey,
  };
}

/** Reads a model response: JSON with `content` and `calls`, or plain text, which is a response without calls. */
async function readResponse({ input, currentDirectory }: CommandContext, path: string): Promise<EditedResponseInput> {
  const text = path === '-' ? await readAll(input) : await readFile(resolve(currentDirectory, path), 'utf8');
  if (text.trim() === '')
    throw new UsageError('The response given with --response is empty. Give text, or JSON with "content" and "calls".');
  const json = tryParseJson(text);
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return { content: text };
  const parsed = editedResponseInputSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(
    `The response given with --response is invalid: ${issue?.path.join('.') || 'top level'}: ${issue?.message ?? 'wrong shape'}. ` +
      'Expected {"content": "…", "calls": [{"name": "…", "arguments": {…}}]}, or plain text.',
  );
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
