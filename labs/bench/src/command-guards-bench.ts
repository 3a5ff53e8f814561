import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { percentile } from '@phaseline/harness';
import { importFiles, type CommandHandler, type GuardSetFile } from '@phaseline/hooks';
import { GuardSetFolders, runCommandGuards } from '@phaseline/hooks/runner';
import { Sandbox, type SandboxCommand } from '@phaseline/sandbox';
import { requireCount } from './bench-failed.js';

/*
 * Measures what it costs that a command is a guard: the time from its spawn to its exit, as a guard, and as the same command that is started by
 * hand under the same sandbox. The way there is apart: choosing the handlers, the transcript, the folders, and reading the result.
 * Rounds alternate, so that other load affects both alike.
 *
 * Options: rounds.
 */

export interface CommandGuardRow {
  readonly hook: string;
  readonly mechanism: string;
  readonly runs: number;
  /** From spawn to exit. */
  readonly byHandP50Ms: number;
  readonly guardP50Ms: number;
  /** Median of the guard divided by that of the command by hand. */
  readonly ratio: number;
  /** Everything else that the guard needs. */
  readonly wayP50Ms: number;
}

/** Maximum ratio of a guard to the same command by hand. */
export const MAX_GUARD_RATIO = 1.3;

const SCRIPT = 'input=$(cat)\ncase $input in *forbidden*) exit 2 ;; esac\n';
const HOOKS = [
  { hook: 'a shell script', command: 'sh .claude/check.sh' },
  { hook: 'a Python script', command: "python3 -c 'import json, sys; json.load(sys.stdin)'" },
] as const;
const LIMITS = {
  timeoutMs: 10_000,
  maxMemoryBytes: 2 ** 30,
  maxProcesses: 100,
  maxFileBytes: 2 ** 26,
  maxDiskBytes: 2 ** 32,
};
/** Messages of a phase that has worked for a while. */
const MESSAGES = Array.from(
  { length: 200 },
  (_, index) => ({ role: 'user', content: `${index} `.repeat(200) }) as const,
);

export async function measureCommandGuards({
  rounds,
}: {
  readonly rounds: number;
}): Promise<readonly CommandGuardRow[]> {
  const root = await mkdtemp(join(tmpdir(), 'phaseline-guards-'));
  try {
    // Without control groups, commands of root run as another user.
    await chmod(root, 0o711);
    const sandbox = new Sandbox({ mode: 'auto' });
    const { mechanism } = await sandbox.check();
    const rows: CommandGuardRow[] = [];
    for (const { hook, command } of HOOKS)
      rows.push({ hook, mechanism, ...(await measureHook({ root, sandbox, command, rounds })) });
    return rows;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

interface HookCase {
  readonly root: string;
  readonly sandbox: Sandbox;
  readonly command: string;
  readonly rounds: number;
}

async function measureHook({
  root,
  sandbox,
  command,
  rounds,
}: HookCase): Promise<Omit<CommandGuardRow, 'hook' | 'mechanism'>> {
  const workspace = { folder: join(root, 'workspace'), tmp: join(root, 'tmp') };
  for (const folder of Object.values(workspace)) await mkdir(folder, { recursive: true });
  const settings = { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] } };
  const files: readonly GuardSetFile[] = [
    { path: 'settings.json', content: Buffer.from(JSON.stringify(settings)), isExecutable: false },
    { path: 'check.sh', content: Buffer.from(SCRIPT), isExecutable: true },
  ];
  const { handlers, version } = importFiles(files);
  const folder = await new GuardSetFolders(join(root, 'sets')).open(version, files);
  const signal = new AbortController().signal;
  const askGuard = async (): Promise<{ readonly guard: number; readonly way: number }> => {
    const began = performance.now();
    const [decision] = await runCommandGuards({
      handlers: handlers as readonly CommandHandler[],
      occasion: {
        point: 'PreToolUse',
        call: { id: 'call-1', tool: 'run_command', args: { program: 'npm', args: ['test'] } },
        readText: () => undefined,
      },
      ...{ sessionId: 'job-1', messages: MESSAGES, set: { name: 'bench', folder }, workspace, sandbox, signal },
    });
    // A guard that has nothing to say has no decision.
    if (!decision || decision.decision) return { guard: NaN, way: NaN };
    return { guard: decision.durationMs, way: performance.now() - began - decision.durationMs };
  };
  const byHand: SandboxCommand = {
    ...{ file: '/bin/sh', args: ['-c', command], env: {}, folders: workspace, limits: LIMITS },
    mounts: [{ from: folder, at: '/workspace/.claude' }],
  };
  const startByHand = async (): Promise<number> => {
    await mkdir(join(workspace.folder, '.claude'), { recursive: true });
    const end = await sandbox.run(byHand, { stdin: '{}', maxOutputBytes: 1_000 }, signal);
    return end.exitCode === 0 ? end.durationMs : NaN;
  };
  const times = { byHand: [] as number[], guard: [] as number[], way: [] as number[] };
  for (let round = -1; round < rounds; round += 1) {
    const isGuardFirst = round % 2 === 0;
    const first = isGuardFirst ? undefined : await startByHand();
    const { guard, way } = await askGuard();
    const hand = first ?? (await startByHand());
    // The first round warms up.
    if (round < 0) continue;
    times.byHand.push(hand);
    times.guard.push(guard);
    times.way.push(way);
  }
  const succeeded = [...times.byHand, ...times.guard].filter((time) => !Number.isNaN(time));
  requireCount('hooks that succeeded', succeeded.length, rounds * 2);
  const [byHandP50Ms, guardP50Ms, wayP50Ms] = [times.byHand, times.guard, times.way].map((values) =>
    percentile(values, 0.5),
  ) as [number, number, number];
  return { runs: rounds, byHandP50Ms, guardP50Ms, ratio: guardP50Ms / byHandP50Ms, wayP50Ms };
}
