import type { ChildProcess } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { completesWithin, computeBackoffMs, type Backoff } from '@phaseline/basics';
import { startProgram } from '@phaseline/basics/processes';
import { readLastLines, openLogFile } from './log-file.js';
import { probe } from './probe.js';
import type { ServiceEvent, ServiceSpec } from './service-spec.js';
import { ServiceFailed } from './supervisor-errors.js';

export interface SupervisionPolicy {
  /** Maximum time of a start without progress. A start that reports progress may take longer. */
  readonly readyTimeoutMs: number;
  /** Waits before restarts after consecutive quick exits. */
  readonly backoff: Backoff;
  /** Time for which a service must have been ready to reset the backoff. */
  readonly stableAfterMs: number;
  /** Number of consecutive exits before `stableAfterMs` after which the supervisor gives up. */
  readonly maxQuickExits: number;
}

export const DEFAULT_POLICY: SupervisionPolicy = {
  readyTimeoutMs: 60_000,
  backoff: { firstMs: 200, maxMs: 5_000 },
  stableAfterMs: 10_000,
  maxQuickExits: 6,
};

/** Interval of the readiness probes during a start. */
const PROBE_INTERVAL_MS = 50;
/** Interval of the readiness probes while the service reports progress. */
const CATCHING_UP_PROBE_INTERVAL_MS = 500;
/** Interval of the `catching-up` events. */
const EVENT_INTERVAL_MS = 3_000;

/** Exit code of a service whose configuration is invalid (EX_CONFIG). A restart would not help. */
const EXIT_CODE_CONFIG = 78;

/** Keeps one service process running until it is stopped or the supervisor gives up. */
export class SupervisedService {
  /** Resolves when the service is ready for the first time. Rejects with ServiceFailed if it fails or is stopped before. */
  readonly ready: Promise<void>;
  restarts = 0;
  private child: ChildProcess | undefined;
  private stopping = false;
  private killedOnPurpose = false;
  private isUp = false;
  private wake: () => void = () => {};
  private readonly loop: Promise<void>;
  private readonly rejectReady: (error: Error) => void;

  constructor(
    readonly spec: ServiceSpec,
    readonly logFile: string,
    private readonly policy: SupervisionPolicy,
    private readonly emit: (event: ServiceEvent) => void,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ready = promise;
    this.ready.catch(() => {});
    this.rejectReady = reject;
    this.loop = this.keepRunning(resolve).catch((error: unknown) => {
      const failure = error instanceof Error ? error : new Error(String(error));
      reject(failure);
      if (!this.stopping) this.emit({ type: 'gave-up', service: spec.name, error: failure });
    });
  }

  get name(): string {
    return this.spec.name;
  }

  /** Process id; undefined while the service is not running. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  get isReady(): boolean {
    return this.isUp;
  }

  /** Sends a signal to the process, which is restarted if it exits. Returns its pid, or undefined if it is not running. */
  kill(signal: NodeJS.Signals): number | undefined {
    const child = this.child;
    if (child?.pid === undefined) return undefined;
    this.killedOnPurpose = true;
    child.kill(signal);
    return child.pid;
  }

  /** Sends SIGTERM, and SIGKILL after `timeoutMs`. Resolves when the process has exited. */
  async stop(timeoutMs: number): Promise<void> {
    this.stopping = true;
    this.rejectReady(new ServiceFailed(this.name, 'was stopped before it was ready', this.logFile, []));
    this.wake();
    this.child?.kill('SIGTERM');
    if (await completesWithin(timeoutMs, this.loop)) return;
    this.child?.kill('SIGKILL');
    await this.loop;
  }

  private async keepRunning(onReady: () => void): Promise<void> {
    let quickExits = 0;
    while (!this.stopping) {
      const run = await this.runOnce(onReady);
      if (this.stopping) return;
      if (run.failure) throw run.failure;
      const hasSettled = run.readyForMs >= this.policy.stableAfterMs || this.killedOnPurpose;
      this.killedOnPurpose = false;
      quickExits = hasSettled ? 0 : quickExits + 1;
      if (run.code === EXIT_CODE_CONFIG || quickExits >= this.policy.maxQuickExits) {
        throw await this.createFailure(
          `exited (${run.how})${quickExits > 1 ? ` ${quickExits} times in a row` : ''}`,
          run.offset,
        );
      }
      const restartInMs = computeBackoffMs(this.policy.backoff, Math.max(1, quickExits));
      this.emit({ type: 'died', service: this.name, pid: run.pid, how: run.how, restartInMs });
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, restartInMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.restarts++;
    }
  }

  private async runOnce(onReady: () => void): Promise<Run> {
    const { command, args, env, cwd } = this.spec;
    const log = await openLogFile(this.logFile);
    const child = startProgram(command, args, {
      // A separate session: Ctrl+C at the terminal must reach only the supervisor, which stops the services.
      detached: true,
      // Nothing is written to standard input; its end tells the service that this process has exited.
      stdio: ['pipe', log.fd, log.fd],
      env: { ...env, PHASELINE_STOP_ON_STDIN_END: '1' },
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
      this.child = child;
      this.emit({ type: 'started', service: this.name, pid });
      if (this.stopping) child.kill('SIGTERM');
      const why = await this.waitUntilReady(pid, ended);
      if (why === undefined) {
        readySince = performance.now();
        this.isUp = true;
        onReady();
        this.emit({ type: 'ready', service: this.name, pid });
      } else if (why !== 'ended' && !this.stopping) {
        failure = await this.createFailure(why, log.offset);
        child.kill('SIGKILL');
      }
    }
    const { code, how } = await ended;
    this.isUp = false;
    this.child = undefined;
    return {
      pid,
      code,
      how,
      failure,
      offset: log.offset,
      readyForMs: readySince === undefined ? 0 : performance.now() - readySince,
    };
  }

  /** Resolves with undefined when the service is ready, with `ended` if it exited or is being stopped, otherwise with the reason to give up. */
  private async waitUntilReady(pid: number, ended: Promise<unknown>): Promise<string | undefined> {
    let hasEnded = false;
    void ended.then(() => (hasEnded = true));
    const { readyTimeoutMs } = this.policy;
    let progress: string | undefined;
    let progressedAt = performance.now();
    for (let emittedAt = progressedAt; ;) {
      const result = await probe(this.spec.healthUrl, pid);
      if (hasEnded || this.stopping) return 'ended';
      if (result.ready) return undefined;
      const now = performance.now();
      if (result.progress !== undefined && result.progress !== progress) {
        ({ progress } = result);
        progressedAt = now;
        if (now - emittedAt >= EVENT_INTERVAL_MS) {
          emittedAt = now;
          this.emit({ type: 'catching-up', service: this.name, pid, message: result.why });
        }
      }
      if (now - progressedAt >= readyTimeoutMs) {
        const since = progress === undefined ? 'was not ready after' : 'made no progress for';
        return `${since} ${readyTimeoutMs / 1000} s: ${result.why}`;
      }
      await Promise.race([
        delay(result.progress === undefined ? PROBE_INTERVAL_MS : CATCHING_UP_PROBE_INTERVAL_MS),
        ended,
      ]);
    }
  }

  private async createFailure(reason: string, offset: number): Promise<ServiceFailed> {
    return new ServiceFailed(this.name, reason, this.logFile, await readLastLines(this.logFile, offset, 15));
  }
}

/** One run of the service process, from its start to its exit. */
interface Run {
  readonly pid: number;
  readonly code: number | null;
  readonly how: string;
  /** Set if the supervisor gives up after this run. */
  readonly failure: Error | undefined;
  /** Offset in the log at which this run began. */
  readonly offset: number;
  readonly readyForMs: number;
}
