const UNITS: ReadonlySet<string> = new Set([
  ...['ms', 'us', 'µs', 'ns', 's', 'sec', 'secs', 'second', 'seconds', 'min', 'mins', 'minute', 'minutes'],
]);
/** Minimum length of a generated id. Shorter runs of hex digits are words and numbers. */
const MIN_ID_LENGTH = 12;
/** Minimum length of a line. Shorter lines are brackets and bullets. */
const MIN_LINE_LENGTH = 2;

/**
 * Computes a 32-bit hash of a line that is equal for lines that differ only in white space, times, durations and generated
 * ids. `undefined` for a line with hardly any content. It makes one pass without regular expressions, because results are
 * long and a log has many.
 */
export function fingerprintLine(line: string): number | undefined {
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
    const endOfTime = isDigit(code) ? timeEnd(line, at, end) : undefined;
    if (endOfTime !== undefined || isGeneratedId(line, at, end)) {
      mix(35);
      at = endOfTime ?? end;
      continue;
    }
    for (; at < end; at += 1) mix(line.charCodeAt(at));
  }
  return kept < MIN_LINE_LENGTH ? undefined : finalizeHash(hash);
}

/** End of the time or duration that begins here; `undefined` if there is none. */
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

/** Whether this is a generated id: a hash, a UUID or a memory address. */
function isGeneratedId(line: string, from: number, to: number): boolean {
  const hex = line.charCodeAt(from) === 48 && line.charCodeAt(from + 1) === 120 ? from + 2 : from;
  if (hex === from && to - from < MIN_ID_LENGTH) return false;
  let digits = 0;
  let letters = 0;
  for (let at = hex; at < to; at += 1) {
    const code = line.charCodeAt(at) | 32;
    if (isDigit(line.charCodeAt(at))) digits += 1;
    else if (code >= 97 && code <= 102) letters += 1;
    else if (line.charCodeAt(at) !== 45) return false;
  }
  return hex > from || (digits > 0 && letters > 0);
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

/** Spreads the bits, so that any of them can be used for sampling. */
function finalizeHash(hash: number): number {
  let word = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
  return (word ^ (word >>> 16)) >>> 0;
}
