const UNITS: ReadonlySet<string> = new Set([
  ...['ms', 'us', 'µs', 'ns', 's', 'sec', 'secs', 'second', 'seconds', 'min', 'mins', 'minute', 'minutes'],
]);
/** Shorter runs of hex digits are words and numbers. */
const ID_LENGTH = 12;
/** Shorter lines are brackets and bullets. */
const SHORTEST = 2;

/**
 * A number of 32 bits for a line, the same for lines that differ only in spaces, in times and durations, and in ids that look
 * made up. `undefined` for a line with hardly anything in it. One pass and no regular expression: results are long, and a log
 * that is folded has many.
 */
export function lineFingerprint(line: string): number | undefined {
  let hash = 0x811c9dc5;
  let kept = 0;
  const mix = (code: number): void => {
    hash = Math.imul(hash ^ code, 0x01000193);
    kept += 1;
  };
  let space = false;
  for (let at = 0; at < line.length;) {
    const code = line.charCodeAt(at);
    if (code <= 32) {
      space = true;
      at += 1;
      continue;
    }
    if (space && kept > 0) mix(32);
    space = false;
    if (!isWordCode(code)) {
      mix(code);
      at += 1;
      continue;
    }
    const end = wordEnd(line, at);
    const behind = isDigit(code) ? timeEnd(line, at, end) : undefined;
    if (behind !== undefined || isMadeUp(line, at, end)) {
      mix(35);
      at = behind ?? end;
      continue;
    }
    for (; at < end; at += 1) mix(line.charCodeAt(at));
  }
  return kept < SHORTEST ? undefined : mixed(hash);
}

/** Where a time or a duration that begins here ends; `undefined` where the number is none. */
function timeEnd(line: string, at: number, wordEnds: number): number | undefined {
  let end = at;
  let colons = 0;
  let dashes = 0;
  for (; end < line.length; end += 1) {
    const code = line.charCodeAt(end);
    if (code === 58) colons += 1;
    else if (code === 45) dashes += 1;
    // Digits, point, comma, plus, T and Z.
    else if (!isDigit(code) && code !== 46 && code !== 44 && code !== 43 && code !== 84 && code !== 90) break;
  }
  if (colons >= 2 || (colons === 1 && dashes >= 2)) return end;
  let digits = at;
  while (digits < line.length && (isDigit(line.charCodeAt(digits)) || isPoint(line, digits))) digits += 1;
  const unitAt = digits < wordEnds ? digits : line.charCodeAt(digits) === 32 ? digits + 1 : digits;
  const unitEnd = wordEnd(line, unitAt);
  if (unitEnd - unitAt === 0 || unitEnd - unitAt > 7) return undefined;
  return UNITS.has(line.slice(unitAt, unitEnd).toLowerCase()) ? unitEnd : undefined;
}

function isPoint(line: string, at: number): boolean {
  const code = line.charCodeAt(at);
  return (code === 46 || code === 44) && isDigit(line.charCodeAt(at + 1));
}

/** A hash, a uuid, an address in memory: hex digits, with a figure among them. */
function isMadeUp(line: string, from: number, to: number): boolean {
  const hex = line.charCodeAt(from) === 48 && line.charCodeAt(from + 1) === 120 ? from + 2 : from;
  if (hex === from && to - from < ID_LENGTH) return false;
  let figures = 0;
  let letters = 0;
  for (let at = hex; at < to; at += 1) {
    const code = line.charCodeAt(at) | 32;
    if (isDigit(line.charCodeAt(at))) figures += 1;
    else if (code >= 97 && code <= 102) letters += 1;
    else if (line.charCodeAt(at) !== 45) return false;
  }
  return hex > from || (figures > 0 && letters > 0);
}

function wordEnd(line: string, from: number): number {
  let at = from;
  while (at < line.length && (isWordCode(line.charCodeAt(at)) || (at > from && line.charCodeAt(at) === 45))) at += 1;
  return at;
}

function isWordCode(code: number): boolean {
  return isDigit(code) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code > 127;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Spreads the bits, so that any of them can decide what belongs to a sample. */
function mixed(hash: number): number {
  let word = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}
