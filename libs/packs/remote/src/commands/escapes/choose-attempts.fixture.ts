import { createHash } from 'node:crypto';
import type { Attempt } from './attempt.fixture.js';
import { attemptGroups } from './attempts.fixture.js';

/** One attempt of each kind of attack. A sample contains all of them, whatever its seed is. */
const leadingAttempts = {
  'files of other jobs': 'reads a file of another job',
  'temporary files': 'reads the /tmp of the machine',
  'environment of the service': 'prints the environment of the service',
  'files of the service': 'reads a file of the service',
  'processes of others': 'reads the environment of other processes',
  'loopback services': 'connects to a service on the loopback interface',
  'cloud metadata': 'asks the metadata service',
  'name servers': 'asks a name server',
  'raw sockets': 'opens a raw socket',
  'symbolic links': 'reads a file of the service through a symbolic link',
  'hard links': 'links a file of another job into its workspace',
  setuid: 'gets another user from a program with the setuid bit',
  mounts: 'mounts a file system',
  tracing: 'traces a process of the service',
  'fork bombs': 'starts processes that start processes',
  memory: 'takes more memory than allowed',
  'full disks': 'fills the disk with files in its workspace',
  'time limits': 'survives its time limit',
  'terminal codes': 'prints codes that change a terminal',
} as const;

/** Attempts per mechanism, user and limit in a sample. */
export const SAMPLE_SIZE = 30;

const attempts: readonly Attempt[] = Object.values(attemptGroups).flat();

/**
 * Returns the names of the attempts to make in each of `combinations` cases: all of them, or a sample that a seed determines. The samples
 * of a seed differ between the cases, so that together they contain as many attempts as possible.
 */
export function chooseAttempts(seed: string | 'all', combinations: number): readonly ReadonlySet<string>[] {
  const names = attempts.map(({ name }) => name);
  if (seed === 'all') return Array.from({ length: combinations }, () => new Set(names));
  const leading: readonly string[] = Object.values(leadingAttempts);
  const others = names
    .filter((name) => !leading.includes(name))
    .map((name) => ({ name, key: createHash('sha256').update(`${seed}/${name}`).digest('hex') }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ name }) => name);
  const drawn = SAMPLE_SIZE - leading.length;
  return Array.from({ length: combinations }, (_, index) => {
    const from = index * drawn;
    return new Set([...leading, ...Array.from({ length: drawn }, (_one, at) => others[(from + at) % others.length]!)]);
  });
}
