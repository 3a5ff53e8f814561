import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { RunStarted, ScriptOutcome, ScriptRun } from './script-run.js';

/** Time limit per run, from its start in the thread. The step limit does not cover a single step that takes long. */
const RUN_TIMEOUT_MS = 10_000;
/** Time limit of the start of a thread. On a busy machine it takes longer than a script may run, and says nothing about the script. */
const START_TIMEOUT_MS = 60_000;
/** Maximum runs per thread. A thread is then replaced, which frees the memory of its runs. */
const MAX_RUNS_PER_THREAD = 100;

/** The thread's program: compiled, or its TypeScript source when this file runs from source. */
const program = new URL(`./script-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

interface Thread {
  readonly worker: Worker;
  runs: number;
}

/** A thread kept for the next run, because starting one takes longer than most scripts. It does not keep the process alive. */
let idle: Thread | undefined;

/** Runs a script once from its start in another thread, in a new engine. */
export function runInThread(run: ScriptRun, timeoutMs = RUN_TIMEOUT_MS): Promise<ScriptOutcome> {
  const thread = idle ?? startThread();
  idle = undefined;
  const { worker } = thread;
  thread.runs += 1;
  worker.ref();
  return new Promise((resolve) => {
    const end = (outcome: ScriptOutcome, reusable: boolean): void => {
      clearTimeout(timer);
      for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
      // Ignore later errors of a terminated thread.
      worker.on('error', () => undefined);
      if (reusable && !idle && thread.runs < MAX_RUNS_PER_THREAD) {
        worker.unref();
        idle = thread;
        worker.once('exit', () => {
          if (idle === thread) idle = undefined;
        });
      } else void worker.terminate();
      resolve(outcome);
    };
    const fail = (code: string, message: string): void => end({ kind: 'failed', code, message, printed: [] }, false);
    const stop = (): void =>
      fail('script_time', `The script was stopped after ${timeoutMs / 1_000} seconds. Do less in one script.`);
    let timer = setTimeout(() => fail('script_failed', 'The thread of the script did not start.'), START_TIMEOUT_MS);
    worker.on('message', (message: ScriptOutcome | RunStarted) => {
      if (message !== 'started') return end(message, true);
      clearTimeout(timer);
      timer = setTimeout(stop, timeoutMs);
    });
    worker.once('error', (error) => fail('script_failed', `The script could not be run: ${error.message}`));
    worker.once('exit', () => fail('script_failed', 'The script exceeded its memory limit and was stopped.'));
    worker.postMessage(run);
  });
}

function startThread(): Thread {
  const worker = new Worker(program, {
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  return { worker, runs: 0 };
}
