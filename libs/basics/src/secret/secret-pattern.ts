/** Minimum number of base64 characters that identify a value. */
const MIN_BASE64_CHARACTERS = 6;

/** Backslashes before an escaped character: JSON inside JSON doubles them. */
const BACKSLASHES = String.raw`\\{1,8}`;

/** Short escapes of JSON, by character. */
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '\b': 'b',
  '\f': 'f',
  '"': '"',
  '\\': String.raw`\\`,
  '/': '/',
};

const HTML_NAMES: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

export interface SecretPattern {
  /** Matches text of one character per UTF-8 byte. */
  readonly pattern: RegExp;
  /** Length of the longest match in bytes. */
  readonly maxBytes: number;
}

/** Builds the pattern that finds a value in the forms that SecretMask lists. It does not backtrack over more than one character. */
export function buildSecretPattern(value: string): SecretPattern {
  const content = Buffer.from(value, 'utf8');
  const forms = [...[0, 1, 2].flatMap((offset) => base64Form(content, offset)), hexForm(content), escapedForm(value)];
  return {
    pattern: new RegExp(forms.map((form) => `(?:${form})`).join('|'), 'g'),
    // An escaped byte has at most 8 backslashes and 5 characters; a UTF-16 unit comes from at least one byte.
    maxBytes: content.byteLength * 13 + 16,
  };
}

/** Each character as it is, or escaped for a URL, JSON or HTML. */
function escapedForm(value: string): string {
  return [...value].map((character) => `(?:${escapesOf(character).join('|')})`).join('');
}

function escapesOf(character: string): readonly string[] {
  const bytes = [...Buffer.from(character, 'utf8')];
  const units = [...Array(character.length).keys()].map((index) => character.charCodeAt(index));
  const short = SHORT_ESCAPES[character];
  const html = HTML_NAMES[character];
  const codePoint = character.codePointAt(0)!;
  return [
    quote(Buffer.from(character, 'utf8').toString('latin1')),
    bytes.map((byte) => `%(?:25)?${hexDigits(byte)}`).join(''),
    units.map((unit) => `${BACKSLASHES}u${anyCase(unit.toString(16).padStart(4, '0'))}`).join(''),
    ...(short === undefined ? [] : [`${BACKSLASHES}${short}`]),
    ...(html === undefined ? [] : [`&${html};`]),
    `&#(?:0?${codePoint}|[xX]0?${anyCase(codePoint.toString(16))});`,
    ...(character === ' ' ? [String.raw`\+`] : []),
  ];
}

/** Pairs of digits, which a dump may separate. */
function hexForm(content: Uint8Array): string {
  return [...content].map(hexDigits).join('[ :]?');
}

/**
 * The characters of base64 that the value alone determines when `offset` bytes precede it in its group of three, with the neighbours that
 * it determines in part.
 */
function base64Form(content: Uint8Array, offset: number): readonly string[] {
  const bits = content.byteLength * 8;
  const text = Buffer.concat([Buffer.alloc(offset), content, Buffer.alloc(2)]).toString('base64');
  const first = Math.ceil((offset * 8) / 6);
  const end = Math.floor((offset * 8 + bits) / 6);
  const own = text.slice(first, end);
  if (own.length < MIN_BASE64_CHARACTERS) return [];
  const characters = [...own].map((character) => {
    if (character === '+') return '(?:[+-]|%2[Bb])';
    if (character === '/') return String.raw`(?:[/_]|\\/|%2[Ff])`;
    return character;
  });
  // Encoders break lines, and JSON escapes the breaks.
  return [
    `${offset === 0 ? '' : '[A-Za-z0-9+/_-]?'}${characters.join(String.raw`(?:\r?\n|(?:\\r)?\\n)?`)}[A-Za-z0-9+/_-]?={0,2}`,
  ];
}

function hexDigits(byte: number): string {
  return anyCase(byte.toString(16).padStart(2, '0'));
}

function anyCase(digits: string): string {
  return digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function quote(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);
}
