import { startProgram } from '@phaseline/basics/processes';
import { text } from 'node:stream/consumers';
import { BenchFailed } from '../bench-failed.js';
import type { SystemFigures } from './measured-system.js';

/** Maximum time of a program, in milliseconds. */
const TIMEOUT_MS = 600_000;
/** Number of characters of an error that are shown. */
const MAX_ERROR_CHARACTERS = 1_000;

/** Keeps the libraries of the peers from reporting to their makers. */
const WITHOUT_TELEMETRY = {
  DO_NOT_TRACK: '1',
  LANGCHAIN_TRACING_V2: 'false',
  LANGSMITH_TRACING: 'false',
};

/**
 * Runs a program with options and returns the figures that it printed. Throws `BenchFailed` if it failed, or if not every job completed
 * with all of its steps.
 */
export async function runSystemProgram<Options extends { readonly jobs: number; readonly stepsPerJob: number }>(
  path: string,
  options: Options,
): Promise<SystemFigures> {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = startProgram(process.execPath, [path, JSON.stringify(options)], {
    env: { PATH, HOME, TMPDIR, ...WITHOUT_TELEMETRY },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const exit = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  if (code !== 0) throw new BenchFailed(`${path} failed: ${errors.slice(-MAX_ERROR_CHARACTERS).trim()}`);
  const figures = JSON.parse(output) as SystemFigures;
  const { jobs, stepsPerJob } = options;
  if (figures.completedJobs !== jobs || figures.steps !== jobs * stepsPerJob)
    throw new BenchFailed(
      `${path}: ${figures.completedJobs} of ${jobs} jobs completed, with ${figures.steps} of ${jobs * stepsPerJob} steps`,
    );
  return figures;
}
