import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { lstat, opendir, realpath } from 'node:fs/promises';
import { isIP, type BlockList } from 'node:net';
import { join, sep } from 'node:path';
import { parseSshAddress } from '@phaseline/contracts';
import { isAddressAllowed } from '@phaseline/sandbox';
import { RepositoryProblem } from './repository-problem.js';
import { prepareSsh, type SshSettings } from './ssh-command.js';

/** From where repositories may come, by the settings of the tool-runner. */
export interface SourceRules {
  /** Folders on this machine below which repositories may be. */
  readonly roots: readonly string[];
  /** Protocols of URLs, such as `https`. */
  readonly protocols: readonly string[];
  /** Networks outside the public internet that may be reached. */
  readonly networks: BlockList;
  readonly ssh: SshSettings;
}

/** A source that may be read. */
export interface CheckedSource {
  /** What git gets. */
  readonly address: string;
  readonly env: Readonly<Record<string, string>>;
  /** Settings for git, as `key=value`. */
  readonly settings: readonly string[];
}

/** Maximum number of entries of `.git` that are examined. */
const MAX_ENTRIES = 1_000_000;

/**
 * Checks a repository on this machine and returns its git folder. It must be below an allowed root after all links are resolved, and
 * must not lead to another repository, whose objects it would disclose. Throws RepositoryProblem `repository_refused`.
 */
export async function checkPath(path: string, { roots }: Pick<SourceRules, 'roots'>): Promise<CheckedSource> {
  const real = await realpath(path).catch(() => undefined);
  // The same message for a path that does not exist, because the difference would disclose what exists on the machine.
  if (real === undefined || !(await isBelow(real, roots)))
    throw new RepositoryProblem(
      'repository_refused',
      `${path} is not a repository below an allowed folder (PHASELINE_REPOSITORY_ROOTS of the tool-runner)`,
    );
  const nested = await lstat(join(real, '.git')).catch(() => undefined);
  if (nested && !nested.isDirectory())
    throw new RepositoryProblem(
      'repository_refused',
      `${path} has a file or link in place of its .git folder (a worktree or a submodule); give the repository itself`,
    );
  const folder = nested ? join(real, '.git') : real;
  for (const name of ['objects', 'HEAD'])
    if (!(await lstat(join(folder, name)).catch(() => undefined)))
      throw new RepositoryProblem('repository_refused', `${path} is not a git repository`);
  if (await lstat(join(folder, 'shallow')).catch(() => undefined))
    throw new RepositoryProblem(
      'repository_refused',
      `${path} is a shallow clone, whose history is incomplete. Complete it with \`git fetch --unshallow\``,
    );
  await refuseLinks(folder, path);
  for (const name of ['objects/info/alternates', 'objects/info/http-alternates', 'commondir'])
    if (await lstat(join(folder, name)).catch(() => undefined))
      throw new RepositoryProblem(
        'repository_refused',
        `${path} takes objects from another repository (${name}). Make it complete with \`git repack -a -d\` and remove that file`,
      );
  return { address: folder, env: { GIT_ALLOW_PROTOCOL: 'file' }, settings: [] };
}

async function isBelow(path: string, roots: readonly string[]): Promise<boolean> {
  for (const root of roots) {
    const real = await realpath(root).catch(() => undefined);
    if (real !== undefined && (path === real || path.startsWith(real.endsWith(sep) ? real : real + sep))) return true;
  }
  return false;
}

async function refuseLinks(folder: string, shown: string): Promise<void> {
  const pending = [folder];
  let entries = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for await (const entry of await opendir(next)) {
      if ((entries += 1) > MAX_ENTRIES)
        throw new RepositoryProblem('repository_too_large', `${shown} has more than ${MAX_ENTRIES} files in .git`);
      if (entry.isSymbolicLink())
        throw new RepositoryProblem('repository_refused', `${shown} contains a link in .git (${entry.name})`);
      if (entry.isDirectory() && entry.name !== 'hooks') pending.push(join(next, entry.name));
    }
  }
}

/**
 * Checks an address on a server, resolves its host once, and makes git connect to that IP address, so that a name that resolves differently
 * later has no effect. `credential` is an access token, or the private key of an ssh address. Throws RepositoryProblem
 * `repository_refused`, and an Error while the name cannot be resolved.
 */
export async function checkUrl(
  text: string,
  rules: Omit<SourceRules, 'roots'>,
  credential: string | undefined,
  scratch: string,
): Promise<CheckedSource> {
  const server = parseSshAddress(text);
  if (server) {
    refuseProtocol('ssh', rules);
    const [address] = await resolveHost(server.host, rules);
    return { address: text, env: await prepareSsh(server, address!, rules.ssh, credential, scratch), settings: [] };
  }
  const url = new URL(text);
  const protocol = url.protocol.slice(0, -1);
  refuseProtocol(protocol, rules);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await resolveHost(host, rules);
  const port = url.port || (protocol === 'http' ? '80' : '443');
  const pinned = isIP(host) ? [] : [`http.curloptResolve=${host}:${port}:${addresses.join(',')}`];
  const authorization = credential === undefined ? {} : authorize(url, credential);
  // Not `text`: the library of git reads some texts, such as one with a backslash, as an address on another host.
  return { address: url.href, env: { GIT_ALLOW_PROTOCOL: protocol, ...authorization }, settings: pinned };
}

function refuseProtocol(protocol: string, { protocols }: Pick<SourceRules, 'protocols'>): void {
  if (!protocols.includes(protocol))
    throw new RepositoryProblem(
      'repository_refused',
      `repositories are not fetched over ${protocol}; allowed: ${protocols.join(', ') || 'none'} (PHASELINE_REPOSITORY_PROTOCOLS)`,
    );
}

async function resolveHost(host: string, { networks }: Pick<SourceRules, 'networks'>): Promise<readonly string[]> {
  const addresses = isIP(host) ? [host] : (await lookUp(host)).map(({ address }) => address);
  const refused = addresses.find((address) => !isAddressAllowed(address, networks));
  if (refused !== undefined)
    throw new RepositoryProblem(
      'repository_refused',
      `${host} is not on the public internet (${refused}). An operator can allow its network (PHASELINE_ALLOWED_PRIVATE_NETWORKS)`,
    );
  return addresses;
}

async function lookUp(host: string): Promise<readonly LookupAddress[]> {
  try {
    return await lookup(host, { all: true });
  } catch (cause) {
    // Any other error, such as a name server that does not respond, may pass.
    if ((cause as NodeJS.ErrnoException).code !== 'ENOTFOUND') throw cause;
    throw new RepositoryProblem('fetch_failed', `there is no host ${host}`, { cause });
  }
}

/** Passes the token in the environment, because arguments are visible to every user of the machine. It is sent to the origin of the URL only. */
function authorize({ origin }: URL, token: string): Record<string, string> {
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${basic}`,
  };
}
