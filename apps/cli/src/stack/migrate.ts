import type { CommandContext } from '../command/command-context.js';
import { BadEnvironment } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { counted } from '../output/quantities.js';
import { databaseWaitMs, migrateDatabase } from './migrate-database.js';

/** The login that `migrate` makes for the services where PHASELINE_APP_PASSWORD is set. */
export const APP_LOGIN = 'phaseline_app';

/**
 * `phaseline migrate`: brings the database of DATABASE_URL up to date; its login must be the owner's. With
 * PHASELINE_APP_PASSWORD it also makes, or changes the password of, the login `phaseline_app` for the services, which takes
 * the right to make roles.
 */
export async function migrate({ env, out, signal }: CommandContext): Promise<ExitCode> {
  const databaseUrl = env.DATABASE_URL?.trim();
  if (!databaseUrl || !URL.canParse(databaseUrl)) {
    throw new BadEnvironment(
      'Set DATABASE_URL to the database to migrate, with the login of its owner: postgresql://owner:password@host:5432/phaseline',
    );
  }
  const password = env.PHASELINE_APP_PASSWORD?.trim();
  const owner = ownerOf(databaseUrl);
  if (password && owner.password === '') {
    // The owner's password is set along with that of the other login, and must not become an empty one.
    throw new BadEnvironment(
      'To make the login of PHASELINE_APP_PASSWORD, DATABASE_URL must hold the password of the owner.',
    );
  }
  const log = (line: string): void => out.say(line);
  const applied = await migrateDatabase(databaseUrl, { log, signal, waitMs: databaseWaitMs(env) });
  if (password) {
    const { provisionRoles } = await import('@phaseline/local-stack');
    await provisionRoles(databaseUrl, { owner, app: { name: APP_LOGIN, password } });
  }
  if (out.json) out.document({ applied, ...(password ? { login: APP_LOGIN } : {}) });
  else
    out.lines(
      applied.length === 0 ? 'The database is up to date.' : `${counted(applied.length, 'migration')} applied.`,
    );
  return exitCode.ok;
}

function ownerOf(databaseUrl: string): { readonly name: string; readonly password: string } {
  const { username, password } = new URL(databaseUrl);
  return { name: decodeURIComponent(username), password: decodeURIComponent(password) };
}
