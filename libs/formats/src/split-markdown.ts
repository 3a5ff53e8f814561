/** A part of a Markdown source that can be parsed on its own. */
export interface MarkdownPiece {
  readonly text: string;
  /** Line of its first character, counted from 1. */
  readonly line: number;
  /** Offset of its first character in the source. */
  readonly offset: number;
  /** Whether it starts with the repeated header of a table that was cut, so that its remaining rows are still parsed as a table. */
  readonly repeatsHeader: boolean;
}

/** Target size of a piece: small enough that one parse does not block the process for long, large enough to keep pieces few. */
const PIECE_CHARACTERS = 32 * 1024;
/** Without a heading to cut at, a piece may grow to this size. It is then cut at a blank line before unindented text. */
const LONG_PIECE_CHARACTERS = 64 * 1024;

/** Spaces after a cell match only before the next bar: an ambiguous pattern would take quadratic time. */
const delimiterRow = /^ {0,3}\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)*(?:[ \t]*\|)?[ \t]*$/;
const fence = /^ {0,3}(`{3,}|~{3,})/;

/** Returns the marker of the code fence that is open after a line, given the one that was open before it. */
function updateFence(open: string | undefined, line: string): string | undefined {
  const marker = fence.exec(line)?.[1];
  if (!marker) return open;
  if (!open)
    return marker.startsWith('`') && line.slice(line.indexOf(marker) + marker.length).includes('`')
      ? undefined
      : marker;
  return marker[0] === open[0] && marker.length >= open.length && line.trim() === marker ? undefined : open;
}

/**
 * Cuts a Markdown source at headings, never within a code fence, so that a long document is parsed piece by piece in bounded
 * memory. Link definitions apply to the whole document, so each piece gets the ones that it refers to at its end.
 */
export function splitMarkdown(source: string): MarkdownPiece[] {
  const pieces: MarkdownPiece[] = [];
  const definitions = new Map<string, string>();
  let open: string | undefined;
  let start = { offset: 0, line: 1, repeatsHeader: false };
  let prefix = '';
  let header = '';
  let before = '';
  let line = 1;
  for (let offset = 0; offset < source.length; line += 1) {
    const newline = source.indexOf('\n', offset);
    const next = newline < 0 ? source.length : newline + 1;
    const text = source.slice(offset, newline < 0 ? next : newline);
    const size = offset - start.offset;
    const isCut =
      open === undefined &&
      ((size > PIECE_CHARACTERS && /^#{1,6}\s/.test(text)) ||
        (size > LONG_PIECE_CHARACTERS && before.trim() === '' && /^\S/.test(text)) ||
        (size > PIECE_CHARACTERS && header !== '') ||
        size > LONG_PIECE_CHARACTERS * 8);
    if (isCut) {
      pieces.push(buildPiece(source.slice(start.offset, offset), prefix, start));
      prefix = text.includes('|') ? header : '';
      start = { offset, line, repeatsHeader: prefix !== '' };
    }
    open = updateFence(open, text);
    if (open === undefined) {
      const definition = /^ {0,3}\[([^\]^][^\]]*)\]:\s*\S/.exec(text);
      if (definition?.[1] && !definitions.has(normaliseLabel(definition[1])))
        definitions.set(normaliseLabel(definition[1]), text);
    }
    if (open !== undefined || !text.includes('|')) header = '';
    else if (text.includes('-') && delimiterRow.test(text) && before.includes('|')) header = `${before}\n${text}\n`;
    before = text;
    offset = next;
  }
  pieces.push(buildPiece(source.slice(start.offset), prefix, start));
  if (pieces.length === 1 || definitions.size === 0) return pieces;
  return pieces.map((piece) => ({ ...piece, text: piece.text + collectDefinitions(piece.text, definitions) }));
}

/** Builds a piece. A repeated header is put before the text, so the offset decreases by its length and the line by two. */
function buildPiece(text: string, prefix: string, start: Omit<MarkdownPiece, 'text'>): MarkdownPiece {
  if (prefix === '') return { text, ...start };
  return { text: prefix + text, offset: start.offset - prefix.length, line: start.line - 2, repeatsHeader: true };
}

function normaliseLabel(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase();
}

function collectDefinitions(text: string, definitions: ReadonlyMap<string, string>): string {
  const used = new Set([...text.matchAll(/\[([^[\]]+)\]/g)].map((match) => normaliseLabel(match[1] ?? '')));
  const lines = [...used].flatMap((name) => definitions.get(name) ?? []);
  return lines.length > 0 ? `\n\n${lines.join('\n')}\n` : '';
}
