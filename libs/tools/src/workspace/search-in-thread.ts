import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ToolError } from '../tool-error.js';
import type { Search, SearchedFile, SearchReply, SearchRequest } from './search-thread.js';

/** The whole call has this time, whatever it reads and however many files there are. */
const CALL_MS = 5_000;
/** A batch of files that takes longer than this is slow because of the pattern. */
const SLOW_BATCH_MS = 1_000;
/** Further searches wait: patterns that never end must not take all processors. */
const MAX_THREADS = 2;
/** After this many searches a thread is replaced, and with it whatever memory they held. */
const SEARCHES_PER_THREAD = 200;

const program = new URL(`./search-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

export interface Found {
  readonly hits: readonly string[];
  /** Matching lines that are not among the hits. */
  readonly more: number;
  /** The time of the call was over before all files were searched. */
  readonly isIncomplete: boolean;
}

/**
 * Searches files, batch by batch, in another thread. Throws ToolError for a pattern that is broken or too slow. `batches` is read while
 * the thread searches, and no further than the time of the call allows.
 */
export async function searchInThread(
  search: Search,
  batches: AsyncIterable<readonly SearchedFile[]>,
  callMs = CALL_MS,
): Promise<Found> {
  const release = await threadFree();
  const thread = new SearchThread(performance.now() + callMs);
  try {
    const began = await thread.ask({ kind: 'begin', search });
    if (began?.kind === 'bad-pattern')
      throw new ToolError('bad_pattern', `The pattern is not a valid regular expression: ${began.message}`);
    const hits: string[] = [];
    let more = 0;
    for await (const files of batches) {
      const found = thread.isOver() ? undefined : await thread.ask({ kind: 'files', files });
      if (found?.kind !== 'found') return { hits, more, isIncomplete: true };
      hits.push(...found.hits);
      more += found.more;
    }
    return { hits, more, isIncomplete: false };
  } finally {
    thread.leave();
    release();
  }
}

interface Idle {
  readonly worker: Worker;
  searches: number;
}

/** Threads that wait for the next search; they keep no process alive. */
const idle: Idle[] = [];

class SearchThread {
  private readonly thread: Idle = idle.pop() ?? { worker: startWorker(), searches: 0 };
  private isBroken = false;

  constructor(private readonly endsAt: number) {
    this.thread.searches += 1;
    this.thread.worker.ref();
  }

  isOver(): boolean {
    return performance.now() >= this.endsAt;
  }

  /** The reply; `undefined` when the time of the call is over. Throws ToolError when the pattern is what takes the time. */
  ask(request: SearchRequest): Promise<SearchReply | undefined> {
    const { worker } = this.thread;
    const asked = performance.now();
    return new Promise((resolve, reject) => {
      const settle = (act: () => void, isBroken: boolean): void => {
        clearTimeout(timer);
        for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
        this.isBroken ||= isBroken;
        act();
      };
      const timer = setTimeout(
        () => settle(() => (performance.now() - asked >= SLOW_BATCH_MS ? reject(tooSlow()) : resolve(undefined)), true),
        Math.max(0, this.endsAt - asked),
      );
      worker.once('message', (reply: SearchReply) => settle(() => resolve(reply), false));
      worker.once('error', (cause) => settle(() => reject(tooSlow(cause)), true));
      worker.once('exit', () => settle(() => reject(tooSlow()), true));
      const buffers = request.kind === 'files' ? request.files.map(({ bytes }) => bytes.buffer as ArrayBuffer) : [];
      worker.postMessage(request, buffers);
    });
  }

  leave(): void {
    const { thread } = this;
    // A thread that is given up may still be searching; what it says later is of no interest.
    thread.worker.on('error', () => undefined);
    if (this.isBroken || thread.searches >= SEARCHES_PER_THREAD || idle.length >= MAX_THREADS) {
      void thread.worker.terminate();
      return;
    }
    thread.worker.removeAllListeners('error');
    thread.worker.unref();
    idle.push(thread);
    thread.worker.once('exit', () => {
      const index = idle.indexOf(thread);
      if (index >= 0) idle.splice(index, 1);
    });
  }
}

function tooSlow(cause?: unknown): ToolError {
  return new ToolError(
    'pattern_too_slow',
    'The pattern takes too long on these files. Write it without nested repetition, or search for a plain text.',
    { cause },
  );
}

function startWorker(): Worker {
  return new Worker(program, {
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
}

let running = 0;
const waiting: (() => void)[] = [];

/** Waits for one of the places, and returns how it is given back. */
async function threadFree(): Promise<() => void> {
  if (running >= MAX_THREADS) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  return () => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
}
