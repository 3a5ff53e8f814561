import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { getHomeDirectory } from '../connection/home-directory.js';
import type { CommandContext } from '../command/command-context.js';
import { BadEnvironment } from '../command/command-errors.js';
import { findLocalStack } from '../connection/server-url.js';
import { planStack } from '../stack/stack-plan.js';

export interface LogDatabase {
  /** Uses the login of the services. */
  readonly url: string;
  /** Uses the login of DATABASE_URL, or that of the owner of the local stack's database. */
  readonly ownerUrl: string;
  /** Display name; never contains a login. */
  readonly name: string;
  close(): Promise<void>;
}

const doNothing = async (): Promise<void> => {};

/**
 * Opens the database that holds the log: DATABASE_URL, else that of the local stack, which is started until `close` if it is down.
 * Audits use the service login, so that they cannot do harm. Throws BadEnvironment if there is no database, and LocalStackError.
 */
export async function openLogDatabase({ env, currentDirectory }: CommandContext): Promise<LogDatabase> {
  const { databaseUrl } = planStack(env);
  if (databaseUrl !== undefined) {
    const name = `DATABASE_URL (${new URL(databaseUrl).host})`;
    return { url: databaseUrl, ownerUrl: databaseUrl, name, close: doNothing };
  }
  const running = await findLocalStack(env, currentDirectory);
  if (running) {
    const { serviceUrl, ownerUrl, apiUrl } = running;
    return { url: serviceUrl, ownerUrl, name: `the local stack at ${apiUrl}`, close: doNothing };
  }
  const directory = getHomeDirectory(env, currentDirectory);
  // The data directory itself may be elsewhere; this file is always in PHASELINE_HOME.
  if (!existsSync(join(directory, 'postgres.json'))) {
    throw new BadEnvironment(
      `No log found: DATABASE_URL is not set, and there is no database in ${directory}. Set DATABASE_URL or PHASELINE_HOME.`,
    );
  }
  const { openLocalHome, startPostgres } = await import('@phaseline/local-stack');
  const home = await openLocalHome(env, currentDirectory);
  const postgres = await startPostgres({ dataDir: home.postgresDirectory, durable: true });
  const { serviceUrl, ownerUrl } = postgres;
  return { url: serviceUrl, ownerUrl, name: `the database in ${home.directory}`, close: () => postgres.stop() };
}
