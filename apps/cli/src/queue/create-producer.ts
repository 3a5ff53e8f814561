import { createProducer as createLogin, ProducerRefused } from '@phaseline/queue';
import type { CommandContext } from '../command/command-context.js';
import { BadEnvironment, UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { findLocalStack } from '../connection/server-url.js';
import { planStack } from '../stack/stack-plan.js';

/**
 * `phaseline producers create NAME`: creates a login that may only add requests to the queue `jobs` of the PostgreSQL backend, and
 * prints its connection string, which is not shown again.
 */
export async function createProducer(context: CommandContext, name: string): Promise<ExitCode> {
  const { out } = context;
  const url = await createLogin(await findOwnerUrl(context), name).catch((error: unknown) => {
    if (!(error instanceof ProducerRefused)) throw error;
    const isUsageError = error.code === 'producer_name_invalid' || error.code === 'producer_name_taken';
    throw isUsageError ? new UsageError(error.message) : new BadEnvironment(error.message, { cause: error });
  });
  if (out.isStructured) {
    out.writeDocument({ name, url });
  } else {
    out.writeLines(url);
    out.writeMessage('This login may only add requests to the queue "jobs". The password is not shown again.');
  }
  return exitCode.ok;
}

async function findOwnerUrl({ env, currentDirectory }: CommandContext): Promise<string> {
  const { databaseUrl } = planStack(env);
  if (databaseUrl !== undefined) return databaseUrl;
  const running = await findLocalStack(env, currentDirectory);
  if (running) return running.ownerUrl;
  throw new BadEnvironment(
    'There is no database. Start the local stack with `npm start`, or set DATABASE_URL to a login that may create roles.',
  );
}
