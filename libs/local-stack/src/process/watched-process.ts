import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Duplex, Readable } from 'node:stream';
import { within } from './within.js';

/**
 * Runs `"$0" "$@"` in the background and beside it a subshell that blocks on file descriptor 3, whose other end only this
 * process holds. When this process ends, in whatever way, the kernel closes that end, `read` returns and the server gets
 * SIGINT: for PostgreSQL a fast, clean shutdown; Redis ends as well. `stop()` closes the descriptor on purpose. It gets the
 * signal again every second, since a shell starts background processes with SIGINT ignored and a server that is still
 * starting has not changed that yet.
 */
const watchdog = `
"$0" "$@" </dev/null 3<&- &
server=$!
( read -r _ <&3; while kill -INT $server; do sleep 1; done ) >/dev/null 2>&1 &
watcher=$!
wait $server
status=$?
kill $watcher 2>/dev/null
exit $status
`;

/** How many of the last log lines are kept to explain a failure. */
const keptLines = 40;

export interface WatchedProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Run as this user; only root may ask for it. */
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  readonly cwd?: string | undefined;
  readonly log?: ((line: string) => void) | undefined;
}

/** A server process that cannot outlive this one. */
export class WatchedProcess {
  readonly lastLines: string[] = [];
  /** Lines of output so far: a server that writes to its log while it starts is at work. */
  linesWritten = 0;
  /** Resolves when the server has ended and its output was read to the end. Never rejects. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  #running = true;
  readonly #child: ChildProcess;

  constructor(options: WatchedProcessOptions) {
    this.#child = spawn('/bin/sh', ['-c', watchdog, options.command, ...options.args], {
      // A session of its own: Ctrl+C at the terminal reaches this process only, which then stops things in order.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: options.env,
      cwd: options.cwd,
      uid: options.uid,
      gid: options.gid,
    });
    for (const stream of [this.#child.stdout, this.#child.stderr] as Readable[]) {
      createInterface({ input: stream }).on('line', (line) => {
        this.lastLines.push(line);
        this.linesWritten += 1;
        if (this.lastLines.length > keptLines) this.lastLines.shift();
        options.log?.(line);
      });
    }
    this.#lifeline.on('error', () => {});
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null): void => {
        this.#running = false;
        this.#lifeline.destroy();
        resolve({ code, signal });
      };
      this.#child.once('close', end);
      this.#child.once('error', (error) => {
        this.lastLines.push(error.message);
        end(null, null);
      });
    });
  }

  get running(): boolean {
    return this.#running;
  }

  /** Lets this process exit while the server runs; the watchdog then ends the server. */
  unref(): void {
    this.#child.unref();
    for (const stream of this.#child.stdio) (stream as { unref?: () => void } | null)?.unref?.();
  }

  /** Asks the server to end; after `timeoutMs` its whole session is killed. Returns when it is gone. */
  async stop(timeoutMs: number): Promise<void> {
    this.#lifeline.destroy();
    const { pid } = this.#child;
    if (await within(timeoutMs, this.ended)) return;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It ended in between.
    }
    await this.ended;
  }

  get #lifeline(): Duplex {
    return this.#child.stdio[3] as Duplex;
  }
}
