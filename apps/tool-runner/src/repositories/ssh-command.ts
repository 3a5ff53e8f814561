import { chmod, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SshServer } from '@phaseline/contracts';
import { RepositoryProblem } from './repository-problem.js';

/** Settings of the tool-runner about ssh. */
export interface SshSettings {
  /** Path of the ssh program. */
  readonly program: string;
  /** File with the keys of the hosts that may be reached. */
  readonly knownHosts: string | undefined;
}

/** Name of the file with the private key, in the temporary folder of a work. */
export const SSH_KEY_FILE = 'ssh-key';

/** Time in which a connection must be made, in seconds. */
const CONNECT_TIMEOUT_SECONDS = 20;

/**
 * Returns the environment in which git connects through ssh with a private key, and with nothing of the user who runs the tool-runner: no
 * other key, agent, configuration or known host. `address` is what the host was resolved to. The key is a file in `folder` until that is
 * removed, because ssh reads it from nowhere else. Throws RepositoryProblem `repository_refused`.
 */
export async function prepareSsh(
  { host, port }: SshServer,
  address: string,
  { program, knownHosts }: SshSettings,
  key: string | undefined,
  folder: string,
): Promise<Readonly<Record<string, string>>> {
  if (knownHosts === undefined)
    throw new RepositoryProblem(
      'repository_refused',
      `the keys of ${host} are not known. An operator writes them into a file (ssh-keyscan ${host}), compares them with those that ${host} publishes, and names the file in PHASELINE_REPOSITORY_KNOWN_HOSTS of the tool-runner`,
    );
  if (!(await stat(knownHosts).catch(() => undefined))?.isFile())
    throw new RepositoryProblem(
      'repository_refused',
      'the file of PHASELINE_REPOSITORY_KNOWN_HOSTS does not exist on the machine of the tool-runner',
    );
  if (key === undefined)
    throw new RepositoryProblem('secret_missing', 'an ssh address needs a secret with a private key');
  const identity = join(folder, SSH_KEY_FILE);
  // ssh refuses a key without a line end.
  await writeFile(identity, `${key.trimEnd()}\n`, { mode: 0o600 });
  await chmod(identity, 0o600);
  const options: Readonly<Record<string, string>> = {
    HostName: escapePercent(address),
    // The name under which ssh-keyscan lists the host.
    HostKeyAlias: port === 22 ? host : `[${host}]:${port}`,
    IdentityFile: quote(identity),
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    UserKnownHostsFile: quote(knownHosts),
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: 'yes',
    CheckHostIP: 'no',
    UpdateHostKeys: 'no',
    VerifyHostKeyDNS: 'no',
    BatchMode: 'yes',
    PreferredAuthentications: 'publickey',
    PasswordAuthentication: 'no',
    KbdInteractiveAuthentication: 'no',
    ProxyCommand: 'none',
    ProxyJump: 'none',
    ControlMaster: 'no',
    ControlPath: 'none',
    PermitLocalCommand: 'no',
    ClearAllForwardings: 'yes',
    ForwardAgent: 'no',
    ConnectTimeout: String(CONNECT_TIMEOUT_SECONDS),
    ConnectionAttempts: '1',
    ServerAliveInterval: '30',
    LogLevel: 'ERROR',
  };
  const config = join(folder, 'ssh-config');
  const lines = Object.entries(options).map(([name, value]) => `  ${name} ${value}`);
  await writeFile(config, ['Host *', ...lines, ''].join('\n'), { mode: 0o600 });
  return {
    GIT_SSH_COMMAND: `${shellQuote(program)} -F ${shellQuote(config)}`,
    GIT_SSH_VARIANT: 'ssh',
    GIT_ALLOW_PROTOCOL: 'ssh',
  };
}

/** Quotes a path in a configuration of ssh, where `%` introduces a token. */
function quote(path: string): string {
  if (/["\n]/.test(path))
    throw new Error('a path with a quote or a line break cannot be used in a configuration of ssh');
  return `"${escapePercent(path)}"`;
}

function escapePercent(text: string): string {
  return text.replaceAll('%', '%%');
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
