/**
 * Runs the floor or Phaseline in a process of its own, like the programs of the peers, so that no system profits from code that an earlier
 * round has compiled. Its argument is a JSON of `ProgramOptions`; it prints a JSON of `SystemFigures`.
 */
import type { ToolLane } from '@phaseline/contracts';
import type { BackendConfig } from '@phaseline/queue';
import { measureSteps } from '../step-bench.js';
import { measureFloor } from './floor.js';
import type { SystemFigures } from './measured-system.js';

interface ProgramOptions {
  readonly databaseUrl: string;
  readonly jobs: number;
  readonly stepsPerJob: number;
  /** For how long such jobs run before, so that the just-in-time compiler is warm, as in a service that has run for a while. */
  readonly warmUpSeconds: number;
  /** The part of Phaseline to measure; the floor if absent. */
  readonly phaseline?: { readonly lane: ToolLane; readonly backend: BackendConfig };
}

process.stdin.on('end', () => process.exit(1)).resume();
const options = JSON.parse(process.argv[2] ?? '') as ProgramOptions;
const warm = performance.now() + options.warmUpSeconds * 1_000;
while (performance.now() < warm) await measure(options);
process.stdout.write(`${JSON.stringify(await measure(options))}\n`);
process.exit();

async function measure({ databaseUrl, jobs, stepsPerJob, phaseline }: ProgramOptions): Promise<SystemFigures> {
  if (!phaseline) return measureFloor({ databaseUrl, jobs, stepsPerJob });
  // The benchmark adds a step that completes the todo. It throws if a job did not complete.
  const figures = await measureSteps({ databaseUrl, jobs, stepsPerJob: stepsPerJob - 1, ...phaseline });
  const { steps, stepsPerSecond, p50Ms } = figures;
  return { completedJobs: jobs, steps, seconds: steps / stepsPerSecond, stepsPerSecond, p50Ms };
}
