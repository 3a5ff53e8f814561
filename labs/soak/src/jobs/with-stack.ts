import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createPool } from '@phaseline/event-store';
import { startDeployedStack, type DeployedStack } from '@phaseline/harness';
import type { RehearsalPolicy } from '@phaseline/rehearsal';

/** What every run on the stack is given. */
export interface StackRunOptions {
  /** Where the queues are. */
  readonly queues: 'postgres' | 'redis';
  /** Determines the jobs. */
  readonly seed: number;
  /** Receives lines of progress. */
  readonly note: (line: string) => void;
}

/** The agent of a run with its workflow, and the model that plays it. */
export interface PlayedAgent {
  /** Files by their path, in folders `agents` and `workflows`. */
  readonly files: Readonly<Record<string, string>>;
  readonly policies: readonly RehearsalPolicy[];
}

export interface StackRun {
  readonly stack: DeployedStack;
  readonly pool: ReturnType<typeof createPool>;
}

/** Phases that run at once, per worker: the default of a deployment. The other jobs wait for a slot. */
export const CONCURRENT_PHASES = 32;
/** Remote calls that run at once: one per phase, so that no phase waits for another one's call. */
export const CONCURRENT_TOOL_CALLS = 32;

/**
 * Runs `act` on the stack as deployed, with one agent. Stops it and removes its data at the end. The data are in `TMPDIR`, or in
 * `/var/tmp`, which is a disk where `/tmp` is memory.
 */
export async function withStack<Result>(
  { queues }: Pick<StackRunOptions, 'queues'>,
  { files, policies }: PlayedAgent,
  act: (run: StackRun) => Promise<Result>,
): Promise<Result> {
  await using closing = new AsyncDisposableStack();
  const folder = await mkdtemp(join(process.env['TMPDIR'] ?? '/var/tmp', 'phaseline-soak-'));
  closing.defer(() => rm(folder, { recursive: true, force: true }));
  // As root, PostgreSQL runs as another user, which needs to traverse this folder; else its data would be elsewhere, and stay there.
  await chmod(folder, 0o711);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const stack = await startDeployedStack({
    ...{ folder, backend: queues, policies },
    agentsFolder: join(folder, 'agents'),
    workflowsFolder: join(folder, 'workflows'),
    settings: {
      PHASELINE_CONCURRENT_PHASES: String(CONCURRENT_PHASES),
      PHASELINE_CONCURRENT_TOOL_CALLS: String(CONCURRENT_TOOL_CALLS),
      PHASELINE_WORK_DIR: join(folder, 'work'),
      PHASELINE_REPOSITORIES_DIR: join(folder, 'repositories'),
    },
  });
  closing.defer(() => stack.stop());
  const pool = createPool(stack.databaseUrl, { max: 2, applicationName: 'soak' });
  closing.defer(() => pool.end());
  return await act({ stack, pool });
}
