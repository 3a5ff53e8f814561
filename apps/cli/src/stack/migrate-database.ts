import { BadEnvironment } from '../command/command-errors.js';

export interface MigrateDatabaseOptions {
  readonly log?: ((line: string) => void) | undefined;
  /** One line per migration; default: `log`. */
  readonly logMigration?: ((line: string) => void) | undefined;
  /** Databases and what needs them are often started together: so long it may take to answer. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Go on when the login may not migrate: then somebody else has done it as the owner, and the services check the schema
   * themselves.
   */
  readonly tolerant?: boolean;
}

/** SQL state of a login that lacks a right. */
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Brings the log and the queues of a database up to date, once it answers. Returns the migrations of the log that were
 * applied. Throws DatabaseUnreachable, MigrationChanged, MigrationFailed, the database's errors, or the signal's reason.
 */
export async function migrateDatabase(
  databaseUrl: string,
  options: MigrateDatabaseOptions = {},
): Promise<readonly string[]> {
  const { log = () => {}, logMigration = log, waitMs, signal } = options;
  const [{ migrate, waitForDatabase }, { migrateQueues }] = await Promise.all([
    import('@phaseline/event-store'),
    import('@phaseline/queue'),
  ]);
  await waitForDatabase(databaseUrl, {
    ...(waitMs === undefined ? {} : { timeoutMs: waitMs }),
    ...(signal ? { signal } : {}),
    onRetry: ({ attempt }) => {
      if (attempt === 1) log(`waiting for the database at ${new URL(databaseUrl).host}`);
    },
  });
  try {
    const { applied } = await migrate(databaseUrl, { log: logMigration });
    await migrateQueues(databaseUrl);
    return applied;
  } catch (error) {
    if (!options.tolerant || !lacksRights(error)) throw error;
    log('this login may not migrate; taking the schema as it is');
    return [];
  }
}

/** PHASELINE_DATABASE_WAIT_MS, which the services know as well; undefined where it is not set. Throws BadEnvironment. */
export function databaseWaitMs(env: NodeJS.ProcessEnv): number | undefined {
  const text = env.PHASELINE_DATABASE_WAIT_MS?.trim();
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new BadEnvironment(`PHASELINE_DATABASE_WAIT_MS is "${text}"; expected a number of milliseconds.`);
}

function lacksRights(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ((at as { code?: unknown }).code === INSUFFICIENT_PRIVILEGE) return true;
  }
  return false;
}
