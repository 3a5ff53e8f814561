import { LocalStackError } from '../local-stack-error.js';

/** A service was not ready in time or kept exiting. The message contains its last log lines. */
export class ServiceFailed extends LocalStackError {
  readonly code = 'service_failed';

  constructor(
    readonly service: string,
    reason: string,
    readonly logFile: string,
    readonly lastLines: readonly string[],
  ) {
    super(
      [
        `${service} ${reason}. Its log is ${logFile}; the last lines are:`,
        ...lastLines.map((line) => `  ${line}`),
      ].join('\n'),
    );
  }
}
