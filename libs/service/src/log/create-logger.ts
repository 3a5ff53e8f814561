import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { secretFields, secretScrubber, secretsOf } from './secrets.js';

export interface LoggerOptions {
  readonly service: string;
  readonly processId: string;
  readonly level: string;
  /** Where secrets are found that must never be written. */
  readonly env: NodeJS.ProcessEnv;
  /** Standard output when left out. */
  readonly destination?: DestinationStream;
}

/**
 * One JSON object a line: `time` (ISO), `level`, `service`, `processId`, `message`, and what the caller adds. Written
 * synchronously: the last line before a crash is the one that matters.
 */
export function createLogger(options: LoggerOptions): Logger {
  const scrub = secretScrubber(secretsOf(options.env));
  return pino(
    {
      level: options.level,
      base: { service: options.service, processId: options.processId },
      messageKey: 'message',
      errorKey: 'error',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
      redact: { paths: secretFields.flatMap((field) => [`["${field}"]`, `*["${field}"]`]), censor: '***' },
      hooks: { streamWrite: scrub },
    },
    options.destination ?? pino.destination({ dest: 1, sync: true }),
  );
}
