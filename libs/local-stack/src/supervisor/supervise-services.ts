import { join } from 'node:path';
import { defaultPolicy, SupervisedService, type SupervisionPolicy } from './supervised-service.js';
import type { ServiceEvent, ServiceSpec } from './service-spec.js';

export interface SupervisionOptions {
  /** Each service writes to `<name>.log` in here. */
  readonly logDirectory: string;
  readonly policy?: Partial<SupervisionPolicy> | undefined;
  readonly onEvent?: ((event: ServiceEvent) => void) | undefined;
  /** Ends the start: all services are stopped. Afterwards use `stop`. */
  readonly signal?: AbortSignal | undefined;
}

export interface ServiceStatus {
  readonly name: string;
  readonly pid: number | undefined;
  readonly ready: boolean;
  readonly restarts: number;
  readonly logFile: string;
}

export interface Supervision {
  status(): ServiceStatus[];
  /**
   * Sends a signal to a service and returns its pid, or undefined when it is between two lives. It is started again when it
   * dies of it, and such a death does not count as one of its own. For tests.
   * @throws RangeError when there is no such service
   */
  kill(name: string, signal?: NodeJS.Signals): number | undefined;
  /** Resolves with the error of the first service that was given up; never, while all is well. */
  readonly gaveUp: Promise<Error>;
  /** SIGTERM to all, SIGKILL to those that are left after `timeoutMs` (12 s). Returns when all are gone. */
  stop(timeoutMs?: number): Promise<void>;
}

/** A little more than a service takes by its own for a shutdown. */
const stopTimeoutMs = 12_000;

/**
 * Runs services as child processes, side by side, and returns when all are ready. One that dies is started again, after
 * 200 ms at first and up to 5 s when it goes on dying. All of them end when this process does, even by SIGKILL: they watch
 * their standard input.
 * @throws ServiceFailed when one cannot be brought up, or the reason of `signal`; the others are stopped then
 */
export async function superviseServices(
  specs: readonly ServiceSpec[],
  options: SupervisionOptions,
): Promise<Supervision> {
  const gaveUp = Promise.withResolvers<Error>();
  const tell = (event: ServiceEvent): void => {
    if (event.type === 'gave-up') gaveUp.resolve(event.error);
    options.onEvent?.(event);
  };
  const policy = { ...defaultPolicy, ...options.policy };
  const services = specs.map(
    (spec) => new SupervisedService(spec, join(options.logDirectory, `${spec.name}.log`), policy, tell),
  );
  const stop = async (timeoutMs = stopTimeoutMs): Promise<void> => {
    await Promise.all(services.map((service) => service.stop(timeoutMs)));
  };
  const abort = Promise.withResolvers<never>();
  const aborted = (): void => abort.reject(options.signal?.reason);
  options.signal?.addEventListener('abort', aborted, { once: true });
  if (options.signal?.aborted) aborted();
  try {
    await Promise.race([Promise.all(services.map((service) => service.ready)), abort.promise]);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    options.signal?.removeEventListener('abort', aborted);
  }
  return {
    status: () =>
      services.map((service) => ({
        name: service.name,
        pid: service.pid,
        ready: service.isReady,
        restarts: service.restarts,
        logFile: service.logFile,
      })),
    kill: (name, signal = 'SIGKILL') => {
      const service = services.find((candidate) => candidate.name === name);
      if (service === undefined) throw new RangeError(`There is no service named ${name}.`);
      return service.kill(signal);
    },
    gaveUp: gaveUp.promise,
    stop,
  };
}
