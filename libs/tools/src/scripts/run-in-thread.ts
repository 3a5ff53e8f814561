import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ScriptOutcome, ScriptRun } from './script-run.js';

/** Beside the count of steps, for what takes long within one step. */
const RUN_MS = 10_000;
/** A thread is left behind so many runs, and with it whatever memory they held. */
const RUNS_PER_THREAD = 100;

/** Its source where this runs from sources: Node takes the types out by itself. */
const program = new URL(`./script-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

interface Thread {
  readonly worker: Worker;
  runs: number;
}

/** One thread that waits for the next run; starting one takes longer than most scripts. It keeps no process alive. */
let idle: Thread | undefined;

/** Runs a script once, from its start, in an engine of its own in another thread. */
export function runInThread(run: ScriptRun, runMs = RUN_MS): Promise<ScriptOutcome> {
  const thread = idle ?? start();
  idle = undefined;
  const { worker } = thread;
  thread.runs += 1;
  worker.ref();
  return new Promise((resolve) => {
    const end = (outcome: ScriptOutcome, reusable: boolean): void => {
      clearTimeout(timer);
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
      // What comes later from a thread that was given up is of no interest.
      worker.on('error', () => undefined);
      if (reusable && !idle && thread.runs < RUNS_PER_THREAD) {
        worker.unref();
        idle = thread;
        worker.once('exit', () => {
          if (idle === thread) idle = undefined;
        });
      } else void worker.terminate();
      resolve(outcome);
    };
    const fail = (code: string, message: string): void => end({ kind: 'failed', code, message, printed: [] }, false);
    const timer = setTimeout(
      () => fail('script_time', `The script was stopped after ${runMs / 1_000} seconds. Do less in one script.`),
      runMs,
    );
    worker.once('message', (outcome: ScriptOutcome) => end(outcome, true));
    worker.once('error', (error) => fail('script_failed', `The script could not be run: ${error.message}`));
    worker.once('exit', () =>
      fail('script_failed', 'The script ended the thread that ran it: it took too much memory.'),
    );
    worker.postMessage(run);
  });
}

function start(): Thread {
  const worker = new Worker(program, {
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  return { worker, runs: 0 };
}
