/** What XML does not allow: control characters other than tab and line ends, and two code points. */
const FORBIDDEN = /(?![\t\n\r])[\p{Cc}\uFFFE\uFFFF]/gu;
const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Writes a text as content or attribute of XML. Characters that XML does not allow become U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(FORBIDDEN, '\uFFFD')
    .replaceAll(/[&<>"]/g, (sign) => entities[sign]!);
}

/** Width of a character in pixels at a font size of 12: of most, of broad ones, and of a script whose characters are squares. */
const NARROW = 6.4;
const BROAD = 9.5;
const SQUARE = 12.5;

/** Cuts a text to about a width in pixels at a font size of 12, and appends `…`. */
export function clipToWidth(text: string, width: number): string {
  let used = 0;
  let kept = '';
  for (const sign of text) {
    used += estimateWidth(sign);
    if (used > width) return `${kept.trimEnd()}…`;
    kept += sign;
  }
  return kept;
}

function estimateWidth(sign: string): number {
  if (/[\u1100-\u115F\u2E80-\uFFEF\u{1F000}-\u{3FFFF}]/u.test(sign)) return SQUARE;
  return /[A-Z&<>@%#=+~mwMW—]/.test(sign) ? BROAD : NARROW;
}

/** Rounds a coordinate to a tenth of a pixel, so that the picture stays small. */
export function round(value: number): number {
  return Math.round(value * 10) / 10;
}
