import type { GraphResult, PlainValue } from '@phaseline/graph';

/** Maximum length of a text in a row. Longer texts are cut; a query for the single property returns all of it. */
const MAX_TEXT_CHARACTERS = 2_000;
const MAX_CHARACTERS = 40_000;

/** Formats an answer for the model: one row per line as JSON, and a note on what was omitted. */
export function formatResult({ columns, rows, omittedRows }: GraphResult): string {
  const lines: string[] = [];
  let length = 0;
  let clipped = 0;
  const shorten = (_key: string, value: unknown): unknown => {
    if (typeof value !== 'string' || value.length <= MAX_TEXT_CHARACTERS) return value;
    clipped += 1;
    return `${value.slice(0, MAX_TEXT_CHARACTERS).toWellFormed()}… (${value.length - MAX_TEXT_CHARACTERS} more characters)`;
  };
  for (const row of rows) {
    const before = clipped;
    const line = JSON.stringify(
      Object.fromEntries(columns.map((name, i): [string, PlainValue] => [name, row[i] ?? null])),
      shorten,
    );
    length += line.length;
    if (length > MAX_CHARACTERS && lines.length > 0) {
      clipped = before;
      break;
    }
    lines.push(line);
  }
  const cut = rows.length - lines.length;
  const missing = omittedRows === undefined ? 'more' : `${omittedRows + cut} more`;
  return [
    rows.length === 0 ? 'No rows.' : `${lines.length} row${lines.length === 1 ? '' : 's'}:`,
    ...lines,
    ...(omittedRows === 0 && cut === 0 ? [] : [`[… ${missing} rows omitted; return less, or use SKIP and LIMIT …]`]),
    ...(clipped > 0 ? [`[… ${clipped} long texts were truncated …]`] : []),
  ].join('\n');
}

/** Returns the first value of the first row as a number. */
export function readFirstNumber({ rows }: GraphResult): number {
  return Number(rows[0]?.[0] ?? 0);
}
