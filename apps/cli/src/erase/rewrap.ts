import { EventStore, MasterKeys, rewrapKeys } from '@phaseline/event-store';
import { SecretStore } from '@phaseline/identity';
import { getHomeDirectory } from '../connection/home-directory.js';
import type { CommandContext } from '../command/command-context.js';
import { BadEnvironment } from '../command/command-errors.js';
import { exitCode, type ExitCode } from '../command/exit-code.js';
import { pluralise } from '../output/quantities.js';
import { withLogPool } from '../audit/with-log-pool.js';
import { readMasterKeys } from '../stack/master-key.js';

/** `phaseline encryption rewrap`: rewraps the keys of all encrypted jobs with the newest master key. Safe while services run. */
export async function rewrap(context: CommandContext): Promise<ExitCode> {
  const { out, env, currentDirectory, signal } = context;
  const keys = await requireMasterKeys(env, getHomeDirectory(env, currentDirectory));
  const { rewrapped, skippedByMasterKey, secrets } = await withLogPool(
    context,
    'phaseline-encryption',
    async (pool) => ({
      ...(await rewrapKeys(pool, keys, { signal })),
      secrets: await new SecretStore(pool, new EventStore(pool), keys).rewrap(),
    }),
  );
  const missing = Object.entries(skippedByMasterKey);
  if (out.isStructured) out.writeDocument({ masterKeyId: keys.ids[0], rewrapped, skippedByMasterKey, secrets });
  else {
    out.writeLines(`${pluralise(rewrapped, 'key')} rewrapped with the master key ${keys.ids[0] ?? ''}.`);
    for (const [id, jobs] of missing)
      out.writeLines(`${pluralise(jobs, 'key')} not rewrapped: the master key ${id} is not configured here.`);
    if (secrets.rewrapped > 0) out.writeLines(`${pluralise(secrets.rewrapped, 'secret')} encrypted again.`);
    for (const secret of secrets.unreadable)
      out.writeLines(`Not encrypted again, because it cannot be decrypted: ${secret}.`);
    if (missing.length === 0) out.writeMessage('No job needs an older master key.');
  }
  return missing.length + secrets.unreadable.length === 0 ? exitCode.ok : exitCode.failed;
}

async function requireMasterKeys(env: NodeJS.ProcessEnv, home: string): Promise<MasterKeys> {
  let keys: MasterKeys | undefined;
  try {
    keys = await readMasterKeys(env, home);
  } catch (cause) {
    throw new BadEnvironment(`The master keys cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (keys) return keys;
  throw new BadEnvironment(
    'There is no master key. Set PHASELINE_MASTER_KEY_FILE to a file with the newest key first.',
  );
}
