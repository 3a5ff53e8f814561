import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolError } from '@phaseline/contracts';
import { percentile } from '@phaseline/harness';
import { Sandbox, type CommandLimits } from '@phaseline/sandbox';
import { requireCount } from './bench-failed.js';

/*
 * Measures what it costs to contain a command: the time from the start of `true` to its end, with the wait for all of its processes, bare
 * and in each sandbox that this machine can make, with control groups and without. Rounds alternate between the ways, so that other
 * load affects all of them alike.
 *
 * Options: rounds.
 */

export interface CommandRow {
  readonly mechanism: 'bare' | 'bubblewrap' | 'unshare';
  /** What limits memory and processes; empty for a bare command. */
  readonly limitedBy: string;
  readonly runs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Median of the differences from the bare command of the same round. */
  readonly overBareMs: number;
  /** Why this machine cannot contain commands in this way. There are no figures then. */
  readonly missing?: string;
}

const PROGRAM = '/bin/true';
const LIMITS: CommandLimits = {
  timeoutMs: 60_000,
  maxMemoryBytes: 2 ** 30,
  maxProcesses: 20,
  maxFileBytes: 2 ** 24,
  maxDiskBytes: 2 ** 30,
};
const WAYS = [
  { mechanism: 'bubblewrap', limitedBy: 'cgroup' },
  { mechanism: 'bubblewrap', limitedBy: 'rlimits' },
  { mechanism: 'unshare', limitedBy: 'cgroup' },
  { mechanism: 'unshare', limitedBy: 'rlimits' },
] as const;

interface Way extends Pick<CommandRow, 'mechanism' | 'limitedBy'> {
  readonly times: number[];
  run(): Promise<number | null>;
}

export async function measureCommands({ rounds }: { readonly rounds: number }): Promise<readonly CommandRow[]> {
  const root = await mkdtemp(join(tmpdir(), 'phaseline-commands-'));
  try {
    // Without control groups, commands of root run as another user.
    await chmod(root, 0o711);
    const bare: Way = { mechanism: 'bare', limitedBy: '', times: [], run: runBare };
    const ways: Way[] = [bare];
    const missing: CommandRow[] = [];
    for (const [index, { mechanism, limitedBy }] of WAYS.entries()) {
      const sandbox = new Sandbox({ mode: mechanism, limitedBy });
      try {
        const report = await sandbox.check();
        if (limitedBy === 'cgroup' && !report.limitedBy.startsWith('cgroup'))
          throw new ToolError('no_sandbox', 'this process can make no control group');
        const place = join(root, `${index}`);
        const folders = { folder: join(place, 'workspace'), tmp: join(place, 'tmp') };
        for (const folder of Object.values(folders)) await mkdir(folder, { recursive: true });
        await chmod(place, 0o711);
        const command = { file: PROGRAM, args: [], env: {}, folders, limits: LIMITS };
        const signal = new AbortController().signal;
        const run = async (): Promise<number | null> =>
          (await sandbox.run(command, { maxOutputBytes: 1_000 }, signal)).exitCode;
        ways.push({ mechanism, limitedBy: report.limitedBy, times: [], run });
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        missing.push({ mechanism, limitedBy, runs: 0, p50Ms: 0, p95Ms: 0, overBareMs: 0, missing: error.message });
      }
    }
    let succeeded = 0;
    for (let round = -1; round < rounds; round += 1)
      for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
        const began = performance.now();
        const exitCode = await way.run();
        // The first round warms up.
        if (round < 0) continue;
        way.times.push(performance.now() - began);
        if (exitCode === 0) succeeded += 1;
      }
    requireCount('commands that succeeded', succeeded, rounds * ways.length);
    return [...ways.map((way) => toRow(way, bare.times)), ...missing];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function runBare(): Promise<number | null> {
  const child = spawn(PROGRAM, [], { stdio: ['ignore', 'pipe', 'pipe'], env: {} });
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return exitCode;
}

function toRow({ mechanism, limitedBy, times }: Way, bare: readonly number[]): CommandRow {
  const differences = times.map((time, round) => time - bare[round]!);
  return {
    ...{ mechanism, limitedBy, runs: times.length },
    ...{ p50Ms: percentile(times, 0.5), p95Ms: percentile(times, 0.95), overBareMs: percentile(differences, 0.5) },
  };
}
