import { join } from 'node:path';
import { DEFAULT_POLICY, SupervisedService, type SupervisionPolicy } from './supervised-service.js';
import type { ServiceEvent, ServiceSpec } from './service-spec.js';

export interface SupervisionOptions {
  /** Folder for the logs; each service writes to `<name>.log`. */
  readonly logDirectory: string;
  readonly policy?: Partial<SupervisionPolicy> | undefined;
  readonly onEvent?: ((event: ServiceEvent) => void) | undefined;
  /** Aborts the start and stops all services. Has no effect after the start; use `stop` then. */
  readonly signal?: AbortSignal | undefined;
}

export interface ServiceStatus {
  readonly name: string;
  readonly pid: number | undefined;
  readonly isReady: boolean;
  readonly restarts: number;
  readonly logFile: string;
}

export interface Supervision {
  status(): ServiceStatus[];
  /**
   * Sends a signal to a service and returns its pid, or undefined if it is not running at the moment. If the service exits, it is
   * restarted, and the exit does not count as a failure. For tests.
   * @throws RangeError if there is no such service
   */
  kill(name: string, signal?: NodeJS.Signals): number | undefined;
  /** Resolves with the error of the first service that the supervisor gave up on. Never settles if there is none. */
  readonly failure: Promise<Error>;
  /** Sends SIGTERM to all services, and SIGKILL to those still running after `timeoutMs` (default 12,000). Resolves when all have exited. */
  stop(timeoutMs?: number): Promise<void>;
}

/** Slightly more than the shutdown timeout of a service. */
const STOP_TIMEOUT_MS = 12_000;

/**
 * Runs services as child processes and returns when all are ready. A service that exits is restarted after 200 ms, with a backoff of up
 * to 5 s if it keeps exiting. All services exit when this process exits, even by SIGKILL, because they watch their standard input.
 * @throws ServiceFailed if a service cannot be started, or the reason of `signal`; the other services are stopped then
 */
export async function superviseServices(
  specs: readonly ServiceSpec[],
  options: SupervisionOptions,
): Promise<Supervision> {
  const gaveUp = Promise.withResolvers<Error>();
  const emit = (event: ServiceEvent): void => {
    if (event.type === 'gave-up') gaveUp.resolve(event.error);
    options.onEvent?.(event);
  };
  const policy = { ...DEFAULT_POLICY, ...options.policy };
  const services = specs.map(
    (spec) => new SupervisedService(spec, join(options.logDirectory, `${spec.name}.log`), policy, emit),
  );
  const stop = async (timeoutMs = STOP_TIMEOUT_MS): Promise<void> => {
    await Promise.all(services.map((service) => service.stop(timeoutMs)));
  };
  const abort = Promise.withResolvers<never>();
  const onAbort = (): void => abort.reject(options.signal?.reason);
  options.signal?.addEventListener('abort', onAbort, { once: true });
  if (options.signal?.aborted) onAbort();
  try {
    await Promise.race([Promise.all(services.map((service) => service.ready)), abort.promise]);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
  }
  return {
    status: () =>
      services.map((service) => ({
        name: service.name,
        pid: service.pid,
        isReady: service.isReady,
        restarts: service.restarts,
        logFile: service.logFile,
      })),
    kill: (name, signal = 'SIGKILL') => {
      const service = services.find((candidate) => candidate.name === name);
      if (service === undefined) throw new RangeError(`There is no service named ${name}.`);
      return service.kill(signal);
    },
    failure: gaveUp.promise,
    stop,
  };
}
