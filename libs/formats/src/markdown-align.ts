import type { InlineText } from '@phaseline/documents';

/** Maximum characters to search ahead when value and source no longer match. */
const MAX_RESYNC_CHARACTERS = 48;

/** Returns the length of the escape or entity at `at` that represents the wanted character; 0 if there is none. */
function measureEscape(raw: string, at: number, wanted: string): number {
  if (raw[at] === '\\' && raw[at + 1] === wanted) return 2;
  const entity =
    raw[at] === '&'
      ? /^&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z][a-z0-9]{1,31});/i.exec(raw.slice(at, at + 36))?.[0]
      : undefined;
  return entity && (wanted !== '&' || /^&(?:amp|#38|#x26);$/i.test(entity)) ? entity.length : 0;
}

/**
 * Appends the value of a Markdown text node and records the source offset of every character. The value differs from the source in
 * escapes, entities, and the indentation and `>` signs at the start of continued lines.
 */
export function alignText(
  inline: InlineText,
  value: string,
  raw: string,
  start: { line: number; offset: number },
): void {
  let at = 0;
  let { line } = start;
  let plainFrom = 0;
  let plainAt = 0;
  const flush = (to: number): void => {
    if (to > plainFrom) inline.push(value.slice(plainFrom, to), line, start.offset + plainAt);
  };
  for (let i = 0; i < value.length; i += 1) {
    const wanted = value.charAt(i);
    if (wanted === '\n') {
      flush(i);
      inline.breakWord();
      line += 1;
      const end = raw.indexOf('\n', at);
      at = end < 0 ? raw.length : end + 1;
      while (at < raw.length && /[ \t>]/.test(raw.charAt(at)) && raw[at] !== value[i + 1]) at += 1;
      plainFrom = i + 1;
      plainAt = at;
      continue;
    }
    const escaped = measureEscape(raw, at, wanted);
    if (escaped === 0 && raw[at] === wanted) {
      at += 1;
      continue;
    }
    flush(i);
    if (escaped > 0) {
      inline.push(wanted, line, start.offset + at + (raw[at] === '\\' ? 1 : 0));
      at += escaped;
    } else {
      const found = raw.slice(at, at + MAX_RESYNC_CHARACTERS).indexOf(wanted);
      if (found >= 0) at += found;
      inline.push(wanted, line, found >= 0 ? start.offset + at : undefined);
      if (found >= 0) at += 1;
    }
    plainFrom = i + 1;
    plainAt = at;
  }
  flush(value.length);
}
