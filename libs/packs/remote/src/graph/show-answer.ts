import type { GraphAnswer, Plain } from '@phaseline/graph';

/** Longer texts in a row are cut; the whole is got by asking for that one property. */
const MAX_TEXT = 2_000;
const MAX_CHARACTERS = 40_000;

/** An answer as the model reads it: one row a line as JSON, and what was left out. */
export function showAnswer({ columns, rows, leftOut }: GraphAnswer): string {
  const lines: string[] = [];
  let length = 0;
  let clipped = 0;
  const shorten = (_key: string, value: unknown): unknown => {
    if (typeof value !== 'string' || value.length <= MAX_TEXT) return value;
    clipped += 1;
    return `${value.slice(0, MAX_TEXT).toWellFormed()}… (${value.length - MAX_TEXT} more characters)`;
  };
  for (const row of rows) {
    const before = clipped;
    const line = JSON.stringify(
      Object.fromEntries(columns.map((name, i): [string, Plain] => [name, row[i] ?? null])),
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
  const missing = leftOut === undefined ? 'more' : `${leftOut + cut} more`;
  return [
    rows.length === 0 ? 'No rows.' : `${lines.length} row${lines.length === 1 ? '' : 's'}:`,
    ...lines,
    ...(leftOut === 0 && cut === 0
      ? []
      : [`[… ${missing} rows left out; ask for less, or page with SKIP and LIMIT …]`]),
    ...(clipped > 0 ? [`[… ${clipped} long texts were cut …]`] : []),
  ].join('\n');
}

/** The first value of the first row, as a number. */
export function firstNumber({ rows }: GraphAnswer): number {
  return Number(rows[0]?.[0] ?? 0);
}
