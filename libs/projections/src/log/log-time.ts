const TIME = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?/;

/**
 * Converts a time to the format of the log, for times that a row contains as text. A rebuild reads times in the format of PostgreSQL, which
 * separates date and time by a space and omits trailing zeros.
 */
export function toLogTime(time: string): string {
  const [, date, clock, fraction = ''] = TIME.exec(time) ?? [];
  return date === undefined ? time : `${date}T${clock}.${fraction.padEnd(6, '0')}Z`;
}
