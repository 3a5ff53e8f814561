import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { chown, mkdir, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readState, writeState } from '../process/json-state-file.js';
import type { ProcessIdentity } from '../process/process-identity.js';
import { rootOwnedPlace } from './root-owned-place.js';
import { accountCan, type ServerAccount } from './server-account.js';

/** What is kept beside a data directory, in `<dataDir>.json` (0600). */
export interface PostgresState {
  /** Where the data really are; another place than the one asked for when the server's user cannot reach that one. */
  readonly dataDirectory: string;
  /** Of the two logins. The superuser's password is never stored: each start that needs it sets a new one. */
  readonly passwords: { readonly owner: string; readonly app: string };
  /** `PROVISION_VERSION` of the start that made the database and its roles. While it is today's, no start needs the superuser. */
  readonly provisioned?: number | undefined;
  /** The port of the last run, tried first on the next one. */
  readonly port?: number | undefined;
  /** The process that started the server last. */
  readonly startedBy?: ProcessIdentity | undefined;
}

export interface PostgresStateFile {
  readonly state: PostgresState;
  save(change: Partial<PostgresState>): Promise<void>;
}

/** Reads the state of a data directory, or makes it: passwords of the logins, and a place that `account` can reach. */
export async function openPostgresState(
  dataDir: string,
  account: ServerAccount | undefined,
  durable: boolean,
): Promise<PostgresStateFile> {
  const wanted = resolve(dataDir);
  await mkdir(dirname(wanted), { recursive: true });
  const path = `${wanted}.json`;
  const known = await readState<PostgresState>(path);
  const { port, startedBy, provisioned } = known ?? {};
  const { owner = newPassword(), app = newPassword() } = known?.passwords ?? {};
  // Named one by one, so that a superuser's password that an earlier release wrote here is left out.
  let state: PostgresState = {
    dataDirectory: await reachableDirectory(wanted, known?.dataDirectory, account, durable),
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

async function reachableDirectory(
  wanted: string,
  known: string | undefined,
  account: ServerAccount | undefined,
  durable: boolean,
): Promise<string> {
  const parent = await realpath(dirname(wanted));
  const direct = join(parent, basename(wanted));
  // Postgres wants to walk down to its data by an absolute path; the data directory itself is made and handed over by us.
  if (account === undefined || (await accountCan(account, 'cd "$0"', parent))) return direct;
  if (known !== undefined && known !== direct) return known;
  const name = createHash('sha256').update(direct).digest('hex').slice(0, 12);
  // The last part is new whenever the state file is: a home that was removed and made again starts empty.
  return join(await rootOwnedPlace(durable), `${basename(wanted)}-${name}-${randomUUID().slice(0, 8)}`);
}

/** Makes an empty directory that only the server's user can enter. */
export async function makeServerDirectory(path: string, account: ServerAccount | undefined): Promise<void> {
  await mkdir(path, { mode: 0o700 });
  if (account) await chown(path, account.uid, account.gid);
}

/** 192 random bits in characters that need no escaping in a URL. */
export function newPassword(): string {
  return randomBytes(24).toString('base64url');
}
