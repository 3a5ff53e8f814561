import type { CommandContext } from '../command/command-context.js';
import { BadEnvironment } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { pluralise } from '../output/quantities.js';
import { readDatabaseWaitMs, migrateDatabase } from './migrate-database.js';

/** Login that `migrate` creates for the services if PHASELINE_APP_PASSWORD is set. */
export const APP_LOGIN = 'phaseline_app';

/**
 * `phaseline migrate`: applies all migrations to the database of DATABASE_URL, whose login must be the owner. With
 * PHASELINE_APP_PASSWORD it also creates the login `phaseline_app` for the services, or changes its password; that requires the
 * privilege to create roles.
 */
export async function migrate({ env, out, signal }: CommandContext): Promise<ExitCode> {
  const databaseUrl = env.DATABASE_URL?.trim();
  if (!databaseUrl || !URL.canParse(databaseUrl)) {
    throw new BadEnvironment(
      'Set DATABASE_URL to the database to migrate, with the login of its owner: postgresql://owner:password@host:5432/phaseline',
    );
  }
  const password = env.PHASELINE_APP_PASSWORD?.trim();
  const owner = parseOwner(databaseUrl);
  if (password && owner.password === '') {
    // provisionRoles sets the passwords of both logins; the owner's must not become empty.
    throw new BadEnvironment(
      'To create the login for PHASELINE_APP_PASSWORD, DATABASE_URL must contain the password of the owner.',
    );
  }
  const log = (line: string): void => out.writeMessage(line);
  const applied = await migrateDatabase(databaseUrl, { log, signal, waitMs: readDatabaseWaitMs(env) });
  if (password) {
    const { provisionRoles } = await import('@phaseline/local-stack');
    await provisionRoles(databaseUrl, { owner, app: { name: APP_LOGIN, password } });
  }
  if (out.isStructured) out.writeDocument({ applied, ...(password ? { login: APP_LOGIN } : {}) });
  else
    out.writeLines(
      applied.length === 0 ? 'The database is up to date.' : `${pluralise(applied.length, 'migration')} applied.`,
    );
  return exitCode.ok;
}

function parseOwner(databaseUrl: string): { readonly name: string; readonly password: string } {
  const { username, password } = new URL(databaseUrl);
  return { name: decodeURIComponent(username), password: decodeURIComponent(password) };
}
