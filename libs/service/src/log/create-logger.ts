import type { ProcessId } from '@phaseline/contracts';
import { getTraceFields } from '@phaseline/telemetry';
import { pino, type DestinationStream, type Logger } from 'pino';
import { SECRET_FIELDS, createSecretScrubber, findSecrets } from './secrets.js';

export interface LoggerOptions {
  readonly service: string;
  readonly processId: ProcessId;
  readonly level: string;
  /** Environment whose secrets are redacted. */
  readonly env: NodeJS.ProcessEnv;
  /** Default: standard output, as JSON. */
  readonly destination?: DestinationStream;
}

/**
 * Creates a logger that writes one JSON object per line: `time` (ISO), `level`, `service`, `processId`, `message` and the caller's
 * fields; a line that concerns a job also names its trace (`trace_id`, `span_id`). It writes synchronously, so that the last line
 * before a crash is not lost.
 */
export function createLogger(options: LoggerOptions): Logger {
  const scrub = createSecretScrubber(findSecrets(options.env));
  return pino(
    {
      level: options.level,
      base: { service: options.service, processId: options.processId },
      messageKey: 'message',
      errorKey: 'error',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (level) => ({ level }) },
      mixin: getTraceFields,
      redact: { paths: SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`]), censor: '***' },
      hooks: { streamWrite: scrub },
    },
    options.destination ?? pino.destination({ dest: 1, sync: true }),
  );
}
