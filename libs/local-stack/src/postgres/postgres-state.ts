import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { chown, mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readState, writeState } from '../process/json-state-file.js';
import type { ProcessIdentity } from '../process/process-identity.js';
import { openRootOwnedDirectory } from './root-owned-directory.js';
import { accountCan, type ServerAccount } from './server-account.js';

/** State of a data directory, stored beside it in `<dataDir>.json` (mode 0600). */
export interface PostgresState {
  /** Actual location of the data. Differs from the requested location if the server's user cannot reach it. */
  readonly dataDirectory: string;
  /** Passwords of the two logins. The superuser's password is not stored: each start that needs it sets a new one. */
  readonly passwords: { readonly owner: string; readonly app: string };
  /** `PROVISION_VERSION` with which the database and its roles were last provisioned. If it is current, a start does not need the superuser. */
  readonly provisioned?: number | undefined;
  /** Port of the last run, tried first by the next one. */
  readonly port?: number | undefined;
  /** Process that last started the server. */
  readonly startedBy?: ProcessIdentity | undefined;
}

export interface PostgresStateFile {
  readonly state: PostgresState;
  save(change: Partial<PostgresState>): Promise<void>;
}

/** Reads the state of a data directory, or creates it with new passwords and a location that `account` can reach. */
export async function openPostgresState(
  dataDir: string,
  account: ServerAccount | undefined,
  durable: boolean,
): Promise<PostgresStateFile> {
  const requested = resolve(dataDir);
  await mkdir(dirname(requested), { recursive: true });
  const path = `${requested}.json`;
  const known = await readState<PostgresState>(path);
  const { port, startedBy, provisioned } = known ?? {};
  const { owner = generatePassword(), app = generatePassword() } = known?.passwords ?? {};
  // Lists the fields, so that a superuser password stored by an earlier release is dropped.
  let state: PostgresState = {
    dataDirectory: await findReachableDirectory(requested, known?.dataDirectory, account, durable),
    passwords: { owner, app },
    port,
    startedBy,
    provisioned: known?.passwords === undefined ? undefined : provisioned,
  };
  const save = async (change: Partial<PostgresState>): Promise<void> => {
    state = { ...state, ...change };
    await writeState(path, state);
  };
  await save({});
  return {
    get state() {
      return state;
    },
    save,
  };
}

async function findReachableDirectory(
  requested: string,
  known: string | undefined,
  account: ServerAccount | undefined,
  durable: boolean,
): Promise<string> {
  const parent = await realpath(dirname(requested));
  const direct = join(parent, basename(requested));
  // PostgreSQL must be able to traverse the parent directories; the data directory itself is created for its user.
  if (account === undefined || (await accountCan(account, 'cd "$0"', parent))) return direct;
  if (known !== undefined && known !== direct) return known;
  const name = createHash('sha256').update(direct).digest('hex').slice(0, 12);
  // The random suffix makes a home that was removed and created again start with an empty directory.
  return join(await openRootOwnedDirectory(durable), `${basename(requested)}-${name}-${randomUUID().slice(0, 8)}`);
}

/** Creates an empty directory that only the server's user can enter. */
export async function createServerDirectory(path: string, account: ServerAccount | undefined): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (account) await chown(path, account.uid, account.gid);
}

/** Generates a password of 192 random bits in characters that need no escaping in a URL. */
export function generatePassword(): string {
  return randomBytes(24).toString('base64url');
}
