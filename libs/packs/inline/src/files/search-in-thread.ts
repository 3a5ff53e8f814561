import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { ToolError } from '@phaseline/contracts';
import type { SearchQuery, SearchedFile, SearchThreadResponse, SearchThreadRequest } from './search-thread.js';

/** Time limit of a search call over all its files. */
const CALL_TIMEOUT_MS = 5_000;
/** If a batch of files takes longer than this, the pattern is the cause. */
const SLOW_BATCH_MS = 1_000;
/** Maximum concurrent searches; further ones wait. Patterns that never end must not occupy all processors. */
const MAX_THREADS = 2;
/** Maximum searches per thread. A thread is then replaced, which frees the memory of its searches. */
const MAX_SEARCHES_PER_THREAD = 200;

const program = new URL(`./search-thread${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

export interface SearchResult {
  readonly hits: readonly string[];
  /** Number of matching lines that are not in `hits`. */
  readonly omittedHits: number;
  /** Whether the call timed out before all files were searched. */
  readonly isIncomplete: boolean;
}

/**
 * Searches files in another thread, batch by batch. Throws ToolError for a pattern that is invalid or too slow. Stops reading
 * `batches` when the call times out.
 */
export async function searchInThread(
  search: SearchQuery,
  batches: AsyncIterable<readonly SearchedFile[]>,
): Promise<SearchResult> {
  const releaseSlot = await acquireThreadSlot();
  const thread = new SearchThread(performance.now() + CALL_TIMEOUT_MS);
  try {
    const started = await thread.send({ kind: 'start', search });
    if (started?.kind === 'bad-pattern')
      throw new ToolError('bad_pattern', `The pattern is not a valid regular expression: ${started.message}`);
    const hits: string[] = [];
    let more = 0;
    for await (const files of batches) {
      const found = thread.isTimedOut() ? undefined : await thread.send({ kind: 'files', files });
      if (found?.kind !== 'found') return { hits, omittedHits: more, isIncomplete: true };
      hits.push(...found.hits);
      more += found.more;
    }
    return { hits, omittedHits: more, isIncomplete: false };
  } finally {
    thread.release();
    releaseSlot();
  }
}

interface Thread {
  readonly worker: Worker;
  searches: number;
}

/** Threads kept for later searches. They do not keep the process alive. */
const idle: Thread[] = [];

class SearchThread {
  private readonly thread: Thread = idle.pop() ?? { worker: startWorker(), searches: 0 };
  private isBroken = false;

  constructor(private readonly endsAt: number) {
    this.thread.searches += 1;
    this.thread.worker.ref();
  }

  isTimedOut(): boolean {
    return performance.now() >= this.endsAt;
  }

  /** Sends a request and returns the reply, or undefined when the call timed out. Throws ToolError when the pattern is too slow. */
  send(request: SearchThreadRequest): Promise<SearchThreadResponse | undefined> {
    const { worker } = this.thread;
    const sentAt = performance.now();
    return new Promise((resolve, reject) => {
      const finish = (act: () => void, isBroken: boolean): void => {
        clearTimeout(timer);
        for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
        this.isBroken ||= isBroken;
        act();
      };
      const timer = setTimeout(
        () =>
          finish(
            () => (performance.now() - sentAt >= SLOW_BATCH_MS ? reject(buildTooSlowError()) : resolve(undefined)),
            true,
          ),
        Math.max(0, this.endsAt - sentAt),
      );
      worker.once('message', (reply: SearchThreadResponse) => finish(() => resolve(reply), false));
      worker.once('error', (cause) => finish(() => reject(buildTooSlowError(cause)), true));
      worker.once('exit', () => finish(() => reject(buildTooSlowError()), true));
      const buffers = request.kind === 'files' ? request.files.map(({ bytes }) => bytes.buffer as ArrayBuffer) : [];
      worker.postMessage(request, buffers);
    });
  }

  release(): void {
    const { thread } = this;
    // A thread that is terminated may still be searching; ignore its later errors.
    thread.worker.on('error', () => undefined);
    if (this.isBroken || thread.searches >= MAX_SEARCHES_PER_THREAD || idle.length >= MAX_THREADS) {
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

function buildTooSlowError(cause?: unknown): ToolError {
  return new ToolError(
    'pattern_too_slow',
    'The pattern takes too long on these files. Avoid nested repetition, or search for plain text.',
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

/** Waits for a free slot and returns the function that releases it. */
async function acquireThreadSlot(): Promise<() => void> {
  if (running >= MAX_THREADS) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  return () => {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  };
}
