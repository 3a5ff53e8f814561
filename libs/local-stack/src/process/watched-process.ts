import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Duplex, Readable } from 'node:stream';
import { completesWithin } from '@phaseline/basics';
import { startProgram } from '@phaseline/basics/processes';

/**
 * Shell script that runs `"$0" "$@"` in the background, and a subshell that blocks on file descriptor 3, whose other end is open only in
 * this process. When this process exits for any reason, the kernel closes that end, `read` returns and the server receives SIGINT: a
 * fast shutdown for PostgreSQL; Redis exits as well. `stop()` closes the descriptor deliberately. The signal is repeated every second,
 * because a shell starts background processes with SIGINT ignored until the server has installed its own handler.
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

/** Number of last log lines that are kept to explain a failure. */
const MAX_KEPT_LINES = 40;

export interface WatchedProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** User to run as; only root may set it. */
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  readonly cwd?: string | undefined;
  readonly log?: ((line: string) => void) | undefined;
}

/** A server process that cannot outlive this one. */
export class WatchedProcess {
  readonly lastLines: string[] = [];
  /** Number of lines of output so far. A server that writes to its log while it starts is making progress. */
  linesWritten = 0;
  /** Resolves when the server has exited and all of its output was read. Never rejects. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  private running = true;
  private readonly child: ChildProcess;

  constructor(options: WatchedProcessOptions) {
    this.child = startProgram('/bin/sh', ['-c', watchdog, options.command, ...options.args], {
      // A separate session: Ctrl+C at the terminal reaches only this process, which then stops everything in the right order.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: options.env,
      cwd: options.cwd,
      uid: options.uid,
      gid: options.gid,
    });
    for (const stream of [this.child.stdout, this.child.stderr] as Readable[]) {
      createInterface({ input: stream }).on('line', (line) => {
        this.lastLines.push(line);
        this.linesWritten += 1;
        if (this.lastLines.length > MAX_KEPT_LINES) this.lastLines.shift();
        options.log?.(line);
      });
    }
    this.lifeline.on('error', () => {});
    this.ended = new Promise((resolve) => {
      const end = (code: number | null, signal: NodeJS.Signals | null): void => {
        this.running = false;
        this.lifeline.destroy();
        resolve({ code, signal });
      };
      this.child.once('close', end);
      this.child.once('error', (error) => {
        this.lastLines.push(error.message);
        end(null, null);
      });
    });
  }

  get isRunning(): boolean {
    return this.running;
  }

  /** Allows this process to exit while the server runs; the watchdog then stops the server. */
  unref(): void {
    this.child.unref();
    for (const stream of this.child.stdio) (stream as { unref?: () => void } | null)?.unref?.();
  }

  /** Stops the server, and kills its whole session after `timeoutMs`. Resolves when it has exited. */
  async stop(timeoutMs: number): Promise<void> {
    this.lifeline.destroy();
    const { pid } = this.child;
    if (await completesWithin(timeoutMs, this.ended)) return;
    try {
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It has exited in the meantime.
    }
    await this.ended;
  }

  private get lifeline(): Duplex {
    return this.child.stdio[3] as Duplex;
  }
}
