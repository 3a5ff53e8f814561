import { spawn, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCgroups } from '@phaseline/sandbox';
import { getTypescriptArguments } from '@phaseline/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attemptGroups } from './attempts.fixture.js';
import type { Attempt } from './attempt.fixture.js';
import { chooseAttempts } from './choose-attempts.fixture.js';
import type { AttemptRecord } from './try-attempts.fixture.js';
import { showsEscape } from './victims.fixture.js';

/** Maximum time of all attempts of a group on a busy machine, in milliseconds. */
const HOOK_MS = 600_000;
const isRoot = process.getuid?.() === 0;
type User = 'root' | 'an ordinary user';
const users: readonly User[] = isRoot ? ['root', 'an ordinary user'] : ['an ordinary user'];

/** An account for the ordinary user, if this process is root. */
let account: { readonly name: string; readonly id: number } | undefined;
beforeAll(() => {
  if (!isRoot) return;
  const name = `escapes-${randomBytes(4).toString('hex')}`;
  execFileSync('useradd', ['--no-create-home', '--user-group', '--shell', '/bin/sh', name]);
  account = { name, id: Number(execFileSync('id', ['-u', name], { encoding: 'utf8' })) };
});
afterAll(() => {
  if (account) execFileSync('userdel', [account.name]);
});

/** Makes attempts in namespaces of their own, with servers outside of the sandbox. Returns what happened, by name. */
async function makeAttempts(
  user: User,
  mode: 'control' | 'bubblewrap' | 'unshare',
  limitedBy: 'cgroup' | 'rlimits',
  chosen: readonly Attempt[],
): Promise<ReadonlyMap<string, AttemptRecord>> {
  // Not below /tmp: a command sees another one there, and so no programs of the machine.
  const root = mkdtempSync('/var/tmp/phaseline-escapes-');
  const owner = isRoot && user !== 'root' ? account : undefined;
  try {
    for (const name of ['service', 'work', 'toolchain']) mkdirSync(join(root, name));
    writeFileSync(join(root, 'service/open-file'), 'secret-of-open-file');
    writeFileSync(join(root, 'toolchain/program'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(root, 'resolv.conf'), 'nameserver 169.254.169.254\noptions timeout:1 attempts:1\n');
    for (const name of ['', 'service', 'work', 'toolchain', 'toolchain/program', 'service/open-file'])
      if (owner) chownSync(join(root, name), owner.id, owner.id);
    copyFileSync('/usr/bin/id', join(root, 'toolchain/setuid-id'));
    chmodSync(join(root, 'toolchain/setuid-id'), 0o4755);
    const become = isRoot
      ? owner
        ? `setpriv --reuid ${owner.id} --regid ${owner.id} --clear-groups --inh-caps=-all --bounding-set=-all`
        : ''
      : `unshare --user --map-user=${process.getuid?.()} --map-group=${process.getgid?.()}`;
    const script = [
      'set -eu',
      // Programs in a sandbox have low process ids. Those of the victims must be none of them.
      'for i in $(seq 300); do (:); done',
      'ip link set lo up',
      'ip address add 169.254.169.254/32 dev lo',
      'mount --bind "$ROOT/resolv.conf" "$(readlink -f /etc/resolv.conf)"',
      'exec 3< <(exec "$NODE" $SERVERS)',
      'read -r _ <&3',
      'exec 40< "$ROOT/service/open-file"',
      `exec ${become} "$NODE" "$@"`,
    ].join('\n');
    const file = (name: string, ...args: string[]): string[] =>
      getTypescriptArguments(new URL(`./${name}.fixture.ts`, import.meta.url), ...args);
    const child = spawn(
      'unshare',
      [
        ...(isRoot ? [] : ['--user', '--map-root-user']),
        // With process and memory namespaces, so that an attempt that succeeds does not harm the machine.
        ...['--net', '--mount', '--pid', '--ipc', '--fork', '--mount-proc', '--kill-child=KILL', 'bash', '-c', script],
        ...['bash', ...file('try-attempts', root, mode, limitedBy, ...chosen.map(({ name }) => name))],
      ],
      {
        env: {
          PATH: process.env['PATH'],
          TMPDIR: tmpdir(),
          ROOT: root,
          NODE: process.execPath,
          SERVERS: file('outside-servers', root).join(' '),
          VICTIM_SECRET: 'secret-of-environment',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    const code = await new Promise((resolve) => child.on('close', resolve));
    if (code !== 0) throw new Error(`the attempts ended with ${String(code)}: ${errors}\n${output.slice(-2_000)}`);
    const records = output
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as AttemptRecord);
    return new Map(records.map((record) => [record.name, record]));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const isControlled = ({ control }: Attempt, user: User): boolean =>
  control === 'everyone' ||
  (control === 'root' && user === 'root') ||
  (control === 'user' && user !== 'root' && isRoot);

/** `PHASELINE_ESCAPES=all` makes every attempt in every case. Otherwise each case makes a sample, which the value determines. */
const seed = process.env['PHASELINE_ESCAPES'] || process.env['PHASELINE_SAMPLE'] || '1';
const mechanisms = ['bubblewrap', 'unshare'] as const;
const limits = { root: ['cgroup', 'rlimits'], 'an ordinary user': ['rlimits'] } as const;
/** Only root can make control groups, and not on every machine. */
const hasCgroups = findCgroups() !== undefined;
const allCases = mechanisms.flatMap((mechanism) =>
  users.flatMap((user) => limits[user].map((limitedBy) => ({ mechanism, user, limitedBy }))),
);
const samples = chooseAttempts(seed, allCases.length);
const cases = allCases.map((one, index) => ({
  ...one,
  chosen: samples[index]!,
  /** Why the case cannot be tried here. */
  obstacle: one.limitedBy === 'cgroup' && !hasCgroups ? ' (skipped: this machine has no control groups)' : '',
}));
const groups = Object.entries(attemptGroups);
const choose = (attempts: readonly Attempt[], chosen: ReadonlySet<string>): readonly Attempt[] =>
  attempts.filter(({ name }) => chosen.has(name));

describe(seed === 'all' ? 'all attempts' : `the sample of seed ${seed}`, () => {
  describe.each(users)('outside of a sandbox, %s', (user) => {
    const chosen = new Set(cases.filter((one) => one.user === user).flatMap((one) => [...one.chosen]));

    describe.each(groups)('an attempt to get out: %s', (_group, attempts) => {
      const controlled = choose(attempts, chosen).filter((attempt) => isControlled(attempt, user));
      let records: ReadonlyMap<string, AttemptRecord>;
      beforeAll(async () => {
        records = await makeAttempts(user, 'control', 'rlimits', controlled);
      }, HOOK_MS);

      it.each(controlled)('succeeds: $name', ({ name, harms }) => {
        const record = records.get(name);
        const hasSucceeded = harms ? record?.harms.includes(harms) : showsEscape(record?.output ?? '');
        expect(hasSucceeded, JSON.stringify(record)).toBe(true);
      });
    });
  });

  for (const { mechanism, user, limitedBy, chosen, obstacle } of cases)
    describe.skipIf(obstacle !== '')(`in ${mechanism}, ${user}, with ${limitedBy}${obstacle}`, () => {
      describe.each(groups)('a command %s', (_group, attempts) => {
        const made = choose(attempts, chosen);
        let records: ReadonlyMap<string, AttemptRecord>;
        beforeAll(async () => {
          records = await makeAttempts(user, mechanism, limitedBy, made);
        }, HOOK_MS);

        it('is contained by the mechanism, with a filter of system calls', () => {
          expect(JSON.parse(records.get('report')!.output)).toMatchObject({
            ...{ mechanism, hasFilter: true },
            limitedBy: limitedBy === 'cgroup' ? expect.stringMatching(/^cgroup v[12]$/) : 'rlimits and a watcher',
          });
        });

        it.each(made)('when it $name', ({ name, stoppedBy, isKilled, records: recorded = '', refused = [] }) => {
          const { output, events, harms } = records.get(name)!;
          expect(showsEscape(output), output).toBe(false);
          expect(harms).toEqual([]);
          expect(output).toContain(recorded);
          // The script came to its end, so nothing else prevented the attempt.
          if (stoppedBy === undefined && !isKilled) expect(output).toMatch(/^held$/m);
          const stops = events.filter(({ type }) => type === 'CommandStopped');
          expect(stops).toMatchObject(stoppedBy === undefined ? [] : [{ data: { limit: stoppedBy } }]);
          const connections = events.filter(({ type }) => type === 'ConnectionRecorded');
          expect(connections).toMatchObject(
            refused.map((host) => ({ data: { host, outcome: 'refused', bytesSent: 0 } })),
          );
        });
      });
    });
});
