import type { DestinationStream } from 'pino';

/**
 * Returns a destination that writes log lines for people if standard output is a terminal; otherwise `undefined`, for JSON. The package
 * that formats lines is loaded only in the first case.
 */
export async function openLogDestination(
  isTerminal: boolean,
  output: NodeJS.WritableStream = process.stdout,
): Promise<DestinationStream | undefined> {
  if (!isTerminal) return undefined;
  const { default: pretty } = await import('pino-pretty');
  return pretty({
    destination: output,
    // The last line before a crash must not be lost.
    sync: true,
    colorize: process.env['NO_COLOR'] === undefined,
    messageKey: 'message',
    errorLikeObjectKeys: ['error'],
    timestampKey: 'time',
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'processId',
    singleLine: true,
  });
}
