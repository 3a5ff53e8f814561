import { getNodeValue, parseTree, type Node } from 'jsonc-parser';

/** A place in a document: lines, pages or paragraphs, both ends inclusive. */
interface SourcePlace {
  readonly from: number;
  readonly to: number;
}

/** What a line cites. */
export type SourceOfLine =
  | {
      readonly kind: 'citation';
      /** Path of the cited document, or address of the cited page. */
      readonly document: string;
      readonly lines?: SourcePlace;
      readonly pages?: SourcePlace;
      readonly paragraphs?: SourcePlace;
      readonly quote: string;
    }
  /** A reference such as `[2]` to a stored source. */
  | { readonly kind: 'source'; readonly number: number; readonly path: string; readonly url: string }
  /** A file of `documents/` or `sources/` that the line names. */
  | { readonly kind: 'file'; readonly path: string };

/** A stored source of the job, to which `[n]` refers. */
interface NumberedSource {
  readonly number: number;
  readonly file: string;
  readonly url: string;
}

export interface SourceLookup {
  /** Stored sources by number. */
  readonly sources: ReadonlyMap<number, NumberedSource>;
  /** Whether the job has a file with this path. */
  readonly hasFile: (path: string) => boolean;
}

/** Parses the index of the stored sources of a job, one JSON object per line. Lines that are none are left out. */
export function parseSourceIndex(text: string): SourceLookup['sources'] {
  const sources = text.split('\n').flatMap((line) => parseSource(line) ?? []);
  return new Map(sources.map((source) => [source.number, source]));
}

function parseSource(line: string): NumberedSource | undefined {
  try {
    const { number, file, url } = JSON.parse(line) as Partial<NumberedSource>;
    return typeof number === 'number' && typeof file === 'string' && typeof url === 'string'
      ? { number, file, url }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Maximum sources that are listed for one range of lines. */
const MAX_SOURCES = 50;

/**
 * Finds what the lines of a file cite. In a JSON file, a line cites what the innermost object around it with a member `citation` cites;
 * the same is true of an object that is a citation itself.
 */
export class LineSources {
  /** The citation of each line of a JSON file. */
  private readonly citations: readonly (SourceOfLine | undefined)[];

  constructor(
    path: string,
    text: string,
    private readonly lines: readonly string[],
    private readonly lookup: SourceLookup,
  ) {
    this.citations = path.toLowerCase().endsWith('.json') ? findCitations(text, lines) : [];
  }

  /** Returns what lines cite, each source once. `from` and `to` are counted from 1, inclusive. */
  find(from: number, to: number): readonly SourceOfLine[] {
    const found = new Map<string, SourceOfLine>();
    for (let index = from - 1; index < to && found.size < MAX_SOURCES; index += 1) {
      const citation = this.citations[index];
      const named = findNamedSources(this.lines[index] ?? '', this.lookup);
      for (const source of citation ? [citation, ...named] : named) found.set(JSON.stringify(source), source);
    }
    return [...found.values()].slice(0, MAX_SOURCES);
  }
}

/** Finds references such as `[2]` to stored sources, and paths of existing files in `documents/` and `sources/`. */
function findNamedSources(line: string, { sources, hasFile }: SourceLookup): readonly SourceOfLine[] {
  const found: SourceOfLine[] = [];
  // Not a link (`[2](…)`), and not an index of a program (`list[2]`).
  for (const [, digits] of line.matchAll(/(?<![\w)\]])\[(\d{1,6}(?:\s*,\s*\d{1,6}){0,20})\](?!\()/g))
    for (const number of digits!.split(',').map(Number)) {
      const source = sources.get(number);
      if (source) found.push({ kind: 'source', number, path: source.file, url: source.url });
    }
  for (const [named] of line.matchAll(/\b(?:documents|sources)\/[^\s"'`()[\]<>|,;]{1,500}/g)) {
    const path = [named, named.replace(/[.:!?]+$/, '')].find(hasFile);
    if (path !== undefined) found.push({ kind: 'file', path });
  }
  return found;
}

/** Returns the citation of each line of a JSON text. An object in another one overwrites its citation. */
function findCitations(text: string, lines: readonly string[]): readonly (SourceOfLine | undefined)[] {
  const root = parseNested(text);
  const found = new Array<SourceOfLine | undefined>(lines.length).fill(undefined);
  if (!root) return found;
  const starts = findLineStarts(lines);
  const pending: Node[] = [root];
  for (let node = pending.pop(); node; node = pending.pop()) {
    const citation = node.type === 'object' ? readCitation(node) : undefined;
    if (citation)
      found.fill(citation, findLine(starts, node.offset), findLine(starts, node.offset + node.length - 1) + 1);
    // The stack is processed from its end, and an outer object before its members: order among siblings does not matter.
    for (const child of node.children ?? []) pending.push(child);
  }
  return found;
}

/** Parses a JSON text, also one with errors. The parser is recursive: a file that is nested too deeply for it has no citations. */
function parseNested(text: string): Node | undefined {
  try {
    return parseTree(text);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readCitation(node: Node): SourceOfLine | undefined {
  const member = node.children?.find(({ children }) => children?.[0]?.value === 'citation')?.children?.[1];
  return toCitation(member?.type === 'object' ? member : node);
}

/** Converts an object such as `{document, lines, quote}`, or a citation of a web page with `url`; undefined if it is none. */
function toCitation(node: Node): SourceOfLine | undefined {
  const names = new Set(node.children?.map(({ children }) => String(children?.[0]?.value)));
  if (!names.has('quote') || !(names.has('document') || names.has('url'))) return undefined;
  const value = getNodeValue(node) as Readonly<Record<string, unknown>>;
  const document = value['document'] ?? value['url'];
  const { quote } = value;
  if (typeof document !== 'string' || typeof quote !== 'string') return undefined;
  const places = (['lines', 'pages', 'paragraphs'] as const).flatMap((unit) => {
    const place = value[unit] as Partial<SourcePlace> | null | undefined;
    return Number.isInteger(place?.from) && Number.isInteger(place?.to)
      ? [[unit, { from: place!.from!, to: place!.to! }] as const]
      : [];
  });
  return { kind: 'citation', document, ...Object.fromEntries(places), quote };
}

function findLineStarts(lines: readonly string[]): readonly number[] {
  let offset = 0;
  return lines.map((line) => {
    const start = offset;
    offset += line.length + 1;
    return start;
  });
}

/** The index of the line that contains an offset. */
function findLine(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low);
}
