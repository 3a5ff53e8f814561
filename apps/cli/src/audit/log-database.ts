import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CommandContext } from '../command/command-context.js';
import { BadEnvironment } from '../command/command-errors.js';
import { localStack } from '../connection/server-url.js';
import { planStack } from '../stack/stack-plan.js';

export interface LogDatabase {
  readonly url: string;
  /** In words, for people; never with a login. */
  readonly name: string;
  close(): Promise<void>;
}

const nothing = async (): Promise<void> => {};

/**
 * The database that holds the log: that of DATABASE_URL, else that of the local stack; one that does not run is started for
 * the time being. With the rights of a service: an audit must not be able to do harm. Throws BadEnvironment when there is none, and LocalStackError.
 */
export async function logDatabase({ env, currentDirectory }: CommandContext): Promise<LogDatabase> {
  const { databaseUrl } = planStack(env);
  if (databaseUrl !== undefined)
    return { url: databaseUrl, name: `DATABASE_URL (${new URL(databaseUrl).host})`, close: nothing };
  const running = await localStack(env, currentDirectory);
  if (running) return { url: running.serviceUrl, name: `the local stack at ${running.apiUrl}`, close: nothing };
  const directory = resolve(currentDirectory, env.PHASELINE_HOME?.trim() || '.phaseline');
  // Written beside the data, which may lie elsewhere.
  const known = await access(join(directory, 'postgres.json')).then(
    () => true,
    () => false,
  );
  if (!known) {
    throw new BadEnvironment(
      `There is no log to look at: DATABASE_URL is not set, and ${directory} holds no database. Set DATABASE_URL or PHASELINE_HOME.`,
    );
  }
  const { localHome, startPostgres } = await import('@phaseline/local-stack');
  const home = await localHome(env, currentDirectory);
  const postgres = await startPostgres({ dataDir: home.postgresDirectory, durable: true });
  return { url: postgres.serviceUrl, name: `the database in ${home.directory}`, close: () => postgres.stop() };
}
