import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { CommandContext } from '../command/command-context.js';
import { BadEnvironment } from '../command/command-errors.js';
import { findLocalStack } from '../connection/server-url.js';
import { planStack } from '../stack/stack-plan.js';

export interface LogDatabase {
  readonly url: string;
  /** Display name; never contains a login. */
  readonly name: string;
  close(): Promise<void>;
}

const doNothing = async (): Promise<void> => {};

/**
 * Opens the database that holds the log: DATABASE_URL, else that of the local stack, which is started until `close` if it is down.
 * Uses the service login, so that an audit cannot do harm. Throws BadEnvironment if there is no database, and LocalStackError.
 */
export async function openLogDatabase({ env, currentDirectory }: CommandContext): Promise<LogDatabase> {
  const { databaseUrl } = planStack(env);
  if (databaseUrl !== undefined)
    return { url: databaseUrl, name: `DATABASE_URL (${new URL(databaseUrl).host})`, close: doNothing };
  const running = await findLocalStack(env, currentDirectory);
  if (running) return { url: running.serviceUrl, name: `the local stack at ${running.apiUrl}`, close: doNothing };
  const directory = resolve(currentDirectory, env.PHASELINE_HOME?.trim() || '.phaseline');
  // The data directory itself may be elsewhere; this file is always in PHASELINE_HOME.
  const hasDatabase = await access(join(directory, 'postgres.json')).then(
    () => true,
    () => false,
  );
  if (!hasDatabase) {
    throw new BadEnvironment(
      `No log found: DATABASE_URL is not set, and there is no database in ${directory}. Set DATABASE_URL or PHASELINE_HOME.`,
    );
  }
  const { openLocalHome, startPostgres } = await import('@phaseline/local-stack');
  const home = await openLocalHome(env, currentDirectory);
  const postgres = await startPostgres({ dataDir: home.postgresDirectory, durable: true });
  return { url: postgres.serviceUrl, name: `the database in ${home.directory}`, close: () => postgres.stop() };
}
