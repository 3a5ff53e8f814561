import { buildProgramEnvironment, runProgram } from '@phaseline/basics/processes';
import { PlatformUnsupported } from '../local-stack-error.js';

/** Operating system user that runs the server. */
export interface ServerAccount {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * Returns the user to run PostgreSQL as. PostgreSQL refuses to run as root, so root runs it as `postgres`, or else as `nobody`. Other
 * users run it as themselves: then the result is undefined.
 */
export async function findServerAccount(): Promise<ServerAccount | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const env = buildProgramEnvironment({}, ['PATH']);
  for (const name of ['postgres', 'nobody']) {
    try {
      const ids = ['-u', '-g'].map(async (option) => Number((await runProgram('id', [option, name], { env })).stdout));
      const [uid, gid] = (await Promise.all(ids)) as [number, number];
      return { name, uid, gid };
    } catch {
      // No such user: try the next one.
    }
  }
  throw new PlatformUnsupported(
    'PostgreSQL cannot run as root, and there is neither a user "postgres" nor a user "nobody". Run this as an ordinary user, or set DATABASE_URL.',
  );
}

/** Whether a shell condition holds for `account`. It is executed as that user, so that modes, ACLs and mounts are all considered. */
export async function accountCan(account: ServerAccount, condition: string, ...args: string[]): Promise<boolean> {
  try {
    const env = buildProgramEnvironment({}, ['PATH']);
    await runProgram('/bin/sh', ['-c', condition, ...args], { uid: account.uid, gid: account.gid, cwd: '/', env });
    return true;
  } catch {
    return false;
  }
}
