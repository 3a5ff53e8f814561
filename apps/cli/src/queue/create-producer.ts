import { createProducer as createLogin, ProducerRefused } from '@phaseline/queue';
import type { CommandContext } from '../command/command-context.js';
import { BadEnvironment, UsageError } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { localStack } from '../connection/server-url.js';
import { planStack } from '../stack/stack-plan.js';

/**
 * `phaseline producers create NAME`: makes a login that may only add requests to the queue `jobs` of the PostgreSQL backend, and
 * prints its connection string, which is shown this once.
 */
export async function createProducer(context: CommandContext, name: string): Promise<ExitCode> {
  const { out } = context;
  const url = await createLogin(await ownerUrl(context), name).catch((error: unknown) => {
    if (!(error instanceof ProducerRefused)) throw error;
    const usage = error.code === 'bad_name' || error.code === 'name_taken';
    throw usage ? new UsageError(error.message) : new BadEnvironment(error.message, { cause: error });
  });
  if (out.json) {
    out.document({ name, url });
  } else {
    out.lines(url);
    out.say('It may add requests to the queue "jobs" and nothing else. The password is not shown again.');
  }
  return exitCode.ok;
}

async function ownerUrl({ env, currentDirectory }: CommandContext): Promise<string> {
  const { databaseUrl } = planStack(env);
  if (databaseUrl !== undefined) return databaseUrl;
  const running = await localStack(env, currentDirectory);
  if (running) return running.ownerUrl;
  throw new BadEnvironment(
    'There is no database to make a login in. Start the local stack with `npm start`, or set DATABASE_URL to a login that may make roles.',
  );
}
