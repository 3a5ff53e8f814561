import type { Logger } from 'pino';
import { exitCode } from '../startup-error.js';

/** What ends a process from outside, and what must end it from inside. */
export interface ProcessEventsOptions {
  readonly logger: Logger;
  /** End when standard input ends: the supervisor that held its other end is gone, however it went. */
  readonly watchParent: boolean;
  /** Called once; the process exits with what it resolves to. */
  readonly stop: (reason: string) => Promise<number>;
}

const signalNumbers = { SIGINT: 2, SIGTERM: 15, SIGHUP: 1 } as const;

/**
 * SIGTERM, SIGINT and SIGHUP stop the process in order; the second one ends it at once. An error that nobody handled leaves
 * the process in an unknown state: it is logged and ends the process at once, and the work goes on elsewhere from the log.
 */
export function handleProcessEvents({ logger, watchParent, stop }: ProcessEventsOptions): void {
  let stopping = false;
  const begin = (reason: string, exitAtOnce: number): void => {
    if (stopping) {
      logger.warn({ reason }, 'asked again: exiting at once');
      process.exit(exitAtOnce);
    }
    stopping = true;
    stop(reason).then(
      (code) => process.exit(code),
      (error: unknown) => {
        logger.fatal({ error }, 'the shutdown failed');
        process.exit(exitCode.software);
      },
    );
  };
  for (const [signal, number] of Object.entries(signalNumbers)) {
    process.on(signal, () => begin(signal, 128 + number));
  }
  const die = (error: unknown): void => {
    logger.fatal({ error }, 'an error that nobody handled');
    process.exit(exitCode.software);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
  if (watchParent) {
    const gone = (): void => {
      if (!stopping) begin('the supervisor is gone', exitCode.software);
    };
    process.stdin.once('end', gone).once('error', gone).resume();
  }
}
