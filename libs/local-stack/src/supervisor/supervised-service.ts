import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { within } from '../process/within.js';
import { lastLines, openLogFile } from './log-file.js';
import { probe } from './probe.js';
import type { ServiceEvent, ServiceSpec } from './service-spec.js';
import { ServiceFailed } from './supervisor-errors.js';

export interface SupervisionPolicy {
  /** How long a start may take without progress. One that reports progress may take as long as that moves. */
  readonly readyTimeoutMs: number;
  /** The wait before the first restart; it doubles with each death that follows at once, up to `maxBackoffMs`. */
  readonly firstBackoffMs: number;
  readonly maxBackoffMs: number;
  /** A service that lived, ready, for this long starts anew with the first backoff. */
  readonly settledMs: number;
  /** Deaths in a row, each before it settled, after which it is given up. */
  readonly maxQuickDeaths: number;
}

export const defaultPolicy: SupervisionPolicy = {
  readyTimeoutMs: 60_000,
  firstBackoffMs: 200,
  maxBackoffMs: 5_000,
  settledMs: 10_000,
  maxQuickDeaths: 6,
};

/** How often a start that takes long is asked about, and told of. */
const askAgainMs = 50;
const askWhileCatchingUpMs = 500;
const tellEveryMs = 3_000;

/** Exit code of a service whose configuration is wrong (EX_CONFIG): a restart would find the same. */
const badConfig = 78;

/** Keeps one service process running until it is stopped or given up. */
export class SupervisedService {
  /** Resolves at the first time that the service is ready; rejects with ServiceFailed when it is given up or stopped before. */
  readonly ready: Promise<void>;
  restarts = 0;
  #child: ChildProcess | undefined;
  #stopping = false;
  #killedOnPurpose = false;
  #readyNow = false;
  #wake: () => void = () => {};
  readonly #loop: Promise<void>;
  readonly #neverReady: (error: Error) => void;

  constructor(
    readonly spec: ServiceSpec,
    readonly logFile: string,
    private readonly policy: SupervisionPolicy,
    private readonly tell: (event: ServiceEvent) => void,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ready = promise;
    this.ready.catch(() => {});
    this.#neverReady = reject;
    this.#loop = this.#keepRunning(resolve).catch((error: unknown) => {
      const failure = error instanceof Error ? error : new Error(String(error));
      reject(failure);
      if (!this.#stopping) this.tell({ type: 'gave-up', service: spec.name, error: failure });
    });
  }

  get name(): string {
    return this.spec.name;
  }

  /** Undefined between two lives. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get isReady(): boolean {
    return this.#readyNow;
  }

  /** Sends a signal to the process, which is started again when it dies of it. Returns the pid, or undefined when there is none now. */
  kill(signal: NodeJS.Signals): number | undefined {
    const child = this.#child;
    if (child?.pid === undefined) return undefined;
    this.#killedOnPurpose = true;
    child.kill(signal);
    return child.pid;
  }

  /** SIGTERM, after `timeoutMs` SIGKILL. Returns when the process is gone. */
  async stop(timeoutMs: number): Promise<void> {
    this.#stopping = true;
    this.#neverReady(new ServiceFailed(this.name, 'was stopped before it was ready', this.logFile, []));
    this.#wake();
    this.#child?.kill('SIGTERM');
    if (await within(timeoutMs, this.#loop)) return;
    this.#child?.kill('SIGKILL');
    await this.#loop;
  }

  async #keepRunning(onReady: () => void): Promise<void> {
    let quickDeaths = 0;
    while (!this.#stopping) {
      const life = await this.#liveOnce(onReady);
      if (this.#stopping) return;
      if (life.failure) throw life.failure;
      const settled = life.readyForMs >= this.policy.settledMs || this.#killedOnPurpose;
      this.#killedOnPurpose = false;
      quickDeaths = settled ? 0 : quickDeaths + 1;
      if (life.code === badConfig || quickDeaths >= this.policy.maxQuickDeaths) {
        throw await this.#failure(
          `ended (${life.how})${quickDeaths > 1 ? ` ${quickDeaths} times in a row` : ''}`,
          life.offset,
        );
      }
      const restartInMs = Math.min(
        this.policy.maxBackoffMs,
        this.policy.firstBackoffMs * 2 ** Math.max(0, quickDeaths - 1),
      );
      this.tell({ type: 'died', service: this.name, pid: life.pid, how: life.how, restartInMs });
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, restartInMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.restarts++;
    }
  }

  async #liveOnce(onReady: () => void): Promise<Life> {
    const { command, args, env, cwd } = this.spec;
    const log = await openLogFile(this.logFile);
    const child = spawn(command, args, {
      // A session of its own: Ctrl+C at the terminal must reach the supervisor only, which stops the services once.
      detached: true,
      // Nothing is ever written to standard input: its end tells the service that this process is gone.
      stdio: ['pipe', log.fd, log.fd],
      env: { ...env, PHASELINE_PARENT_WATCH: '1' },
      cwd,
    });
    log.close();
    child.stdin?.on('error', () => {});
    const ended = new Promise<{ code: number | null; how: string }>((resolve) => {
      child.once('error', (error) => resolve({ code: null, how: error.message }));
      child.once('exit', (code, signal) => resolve({ code, how: signal ?? `exit code ${code}` }));
    });
    const pid = child.pid ?? 0;
    let readySince: number | undefined;
    let failure: Error | undefined;
    if (child.pid !== undefined) {
      this.#child = child;
      this.tell({ type: 'started', service: this.name, pid });
      if (this.#stopping) child.kill('SIGTERM');
      const why = await this.#untilReady(pid, ended);
      if (why === undefined) {
        readySince = performance.now();
        this.#readyNow = true;
        onReady();
        this.tell({ type: 'ready', service: this.name, pid });
      } else if (why !== 'ended' && !this.#stopping) {
        failure = await this.#failure(why, log.offset);
        child.kill('SIGKILL');
      }
    }
    const { code, how } = await ended;
    this.#readyNow = false;
    this.#child = undefined;
    return {
      pid,
      code,
      how,
      failure,
      offset: log.offset,
      readyForMs: readySince === undefined ? 0 : performance.now() - readySince,
    };
  }

  /** Undefined when the service is ready, `ended` when it died or is being stopped, otherwise why it is given up. */
  async #untilReady(pid: number, ended: Promise<unknown>): Promise<string | undefined> {
    let over = false;
    void ended.then(() => (over = true));
    const { readyTimeoutMs } = this.policy;
    let progress: string | undefined;
    let movedAt = performance.now();
    for (let toldAt = movedAt; ;) {
      const answer = await probe(this.spec.healthUrl, pid);
      if (over || this.#stopping) return 'ended';
      if (answer.ready) return undefined;
      const now = performance.now();
      if (answer.progress !== undefined && answer.progress !== progress) {
        ({ progress } = answer);
        movedAt = now;
        if (now - toldAt >= tellEveryMs) {
          toldAt = now;
          this.tell({ type: 'catching-up', service: this.name, pid, message: answer.why });
        }
      }
      if (now - movedAt >= readyTimeoutMs) {
        const since = progress === undefined ? 'was not ready after' : 'made no progress for';
        return `${since} ${readyTimeoutMs / 1000} s: ${answer.why}`;
      }
      await Promise.race([delay(answer.progress === undefined ? askAgainMs : askWhileCatchingUpMs), ended]);
    }
  }

  async #failure(reason: string, offset: number): Promise<ServiceFailed> {
    return new ServiceFailed(this.name, reason, this.logFile, await lastLines(this.logFile, offset, 15));
  }
}

interface Life {
  readonly pid: number;
  readonly code: number | null;
  readonly how: string;
  /** Set when the life ended the supervision. */
  readonly failure: Error | undefined;
  /** Where in the log this life began. */
  readonly offset: number;
  readonly readyForMs: number;
}
