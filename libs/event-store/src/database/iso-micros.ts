/** PostgreSQL's text for timestamptz, e.g. `2026-01-02 04:04:05.12+01` (DateStyle ISO, which is the default). */
const TIMESTAMP_PATTERN = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?([+-]\d{2}(?::?\d{2})?(?::\d{2})?)$/;

/**
 * Converts a PostgreSQL timestamp to `2026-01-02T03:04:05.120000Z`: UTC with microseconds, the form that is hashed. A JavaScript Date
 * has only milliseconds.
 */
export function toIsoMicros(text: string): string {
  const [, date, time, fraction = '', zone] = TIMESTAMP_PATTERN.exec(text) ?? [];
  if (date === undefined || time === undefined || zone === undefined)
    throw new Error(`not a PostgreSQL timestamp: ${text}`);
  const micros = fraction.padEnd(6, '0');
  if (zone === '+00') return `${date}T${time}.${micros}Z`;
  const seconds = new Date(`${date}T${time}${zone.length === 3 ? `${zone}:00` : zone}`).toISOString().slice(0, 19);
  return `${seconds}.${micros}Z`;
}
