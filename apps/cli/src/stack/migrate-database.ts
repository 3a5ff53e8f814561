import { BadEnvironment } from '../command/command-errors.js';

export interface MigrateDatabaseOptions {
  readonly log?: ((line: string) => void) | undefined;
  /** Called with one line per migration; default: `log`. */
  readonly logMigration?: ((line: string) => void) | undefined;
  /** How long to wait for the database, which is often started together with the services. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Continue if the login may not migrate. The owner is then expected to have migrated the database; the services check the schema
   * when they start.
   */
  readonly allowsMissingPrivilege?: boolean;
}

/** SQLSTATE insufficient_privilege. */
const INSUFFICIENT_PRIVILEGE = '42501';

/**
 * Waits for the database, then migrates its log and queues. Returns the applied migrations of the log. Throws DatabaseUnreachable,
 * MigrationChanged, MigrationFailed, the database's errors, or the signal's reason.
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
    if (!options.allowsMissingPrivilege || !isPrivilegeError(error)) throw error;
    log('this login may not migrate; using the schema as it is');
    return [];
  }
}

/** Reads PHASELINE_DATABASE_WAIT_MS, which the services use as well; undefined if not set. Throws BadEnvironment. */
export function readDatabaseWaitMs(env: NodeJS.ProcessEnv): number | undefined {
  const text = env.PHASELINE_DATABASE_WAIT_MS?.trim();
  if (!text) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new BadEnvironment(`PHASELINE_DATABASE_WAIT_MS is "${text}"; expected a number of milliseconds.`);
}

function isPrivilegeError(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ((at as { code?: unknown }).code === INSUFFICIENT_PRIVILEGE) return true;
  }
  return false;
}
