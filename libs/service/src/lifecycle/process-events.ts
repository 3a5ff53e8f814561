import type { Logger } from 'pino';
import { exitCode } from '../startup-error.js';

/** Options of `handleProcessEvents`. */
export interface ProcessEventsOptions {
  readonly logger: Logger;
  /** Whether to stop when standard input ends, which means that the supervisor holding the other end has exited. */
  readonly watchParent: boolean;
  /** Called once. The process exits with the code that it resolves to. */
  readonly stop: (reason: string) => Promise<number>;
}

const signalNumbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

/**
 * Handles signals and unhandled errors. SIGTERM, SIGINT and SIGHUP shut the process down; a second signal ends it immediately. An
 * unhandled error leaves the process in an unknown state, so it is logged and ends the process immediately.
 */
export function handleProcessEvents({ logger, watchParent, stop }: ProcessEventsOptions): void {
  let isStopping = false;
  const beginShutdown = (reason: string, immediateExitCode: number): void => {
    if (isStopping) {
      logger.warn({ reason }, 'received a second stop request: exiting immediately');
      process.exit(immediateExitCode);
    }
    isStopping = true;
    stop(reason).then(
      (code) => process.exit(code),
      (error: unknown) => {
        logger.fatal({ error }, 'the shutdown failed');
        process.exit(exitCode.software);
      },
    );
  };
  for (const [signal, number] of Object.entries(signalNumbers)) {
    process.on(signal, () => beginShutdown(signal, 128 + number));
  }
  const exitOnError = (error: unknown): void => {
    logger.fatal({ error }, 'unhandled error');
    process.exit(exitCode.software);
  };
  process.on('uncaughtException', exitOnError);
  process.on('unhandledRejection', exitOnError);
  if (watchParent) {
    const onInputEnd = (): void => {
      if (!isStopping) beginShutdown('the supervisor has exited', exitCode.software);
    };
    process.stdin.once('end', onInputEnd).once('error', onInputEnd).resume();
  }
}
