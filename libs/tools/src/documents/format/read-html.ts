import { type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes as Tree, parseFragment, Parser } from 'parse5';
import { ToolError } from '../../tool-error.js';
import { BlockBuilder } from './block-builder.js';
import { InlineText } from './inline-text.js';
import { MAX_DEPTH } from './limits.js';
import { pause } from './pause.js';
import { looksLikeHeader } from './plain-structure.js';
import { blocksOfText } from './read-text.js';
import { attribute, cellsOf, contains, rowsOf } from './html-elements.js';
import { isPlainTextPage, preformattedLines } from './html-plain-page.js';
import { type BlockKind, countLines, type SourceDocument } from './source-document.js';

type Element = Tree.Element;
type Node = Tree.ChildNode;

/** Elements whose text is not part of the document: code, navigation, controls, drawings. */
const SKIPPED = new Set([
  'script',
  'style',
  'template',
  'nav',
  'svg',
  'math',
  'head',
  'button',
  'select',
  'textarea',
  'object',
  'iframe',
  'audio',
  'video',
  'canvas',
]);
/** Elements that run on within a line; all others begin a block of their own. */
const INLINE = new Set(
  ('a abbr acronym b bdi bdo big cite code data del dfn em font i img input ins kbd label mark nobr output q rp rt ruby s samp small span strike strong sub sup time tt u var wbr')
    .split(' '),
); // prettier-ignore
const CODE = new Set(['code', 'kbd', 'samp', 'tt', 'var']);
/** HTML nests deeper than prose does: every layer of layout counts. */
const MAX_HTML_DEPTH = MAX_DEPTH * 8;

interface Options {
  readonly path: string;
  /** Line of the first character of the markup. */
  readonly firstLine: number;
}

interface Position {
  readonly kind: BlockKind;
  /** Depth of lists. */
  readonly lists: number;
  readonly leadIn: number | undefined;
  readonly depth: number;
}

/** Reads an HTML page: text, headings, lists, tables, definition lists. Scripts, styles and navigation are left out. Locations are lines of the source. */
export async function readHtml(source: string, path: string, signal: AbortSignal): Promise<SourceDocument> {
  const document = await parsePage(source, signal);
  const builder = new BlockBuilder();
  new HtmlWalk(builder, { path, firstLine: 1 }).children(document, start);
  const blocks = isPlainTextPage(builder)
    ? (await blocksOfText(preformattedLines(document), signal)).blocks
    : builder.blocks;
  return { format: 'html', blocks, units: countLines(source), notes: [], raw: source };
}

/** Characters that are parsed in one turn of the event loop. */
const TURN_CHARACTERS = 128 * 1024;

async function parsePage(source: string, signal: AbortSignal): Promise<Tree.Document> {
  const parser = new Parser<DefaultTreeAdapterMap>({ sourceCodeLocationInfo: true, scriptingEnabled: false });
  for (let at = 0; at < source.length; at += TURN_CHARACTERS) {
    await pause(signal);
    parser.tokenizer.write(source.slice(at, at + TURN_CHARACTERS), at + TURN_CHARACTERS >= source.length);
  }
  return parser.document;
}

/** Reads a stretch of HTML that stands in another document (or was made from one) into its blocks. */
export function readHtmlInto(builder: BlockBuilder, markup: string, options: Options): void {
  new HtmlWalk(builder, options).children(
    parseFragment(markup, { sourceCodeLocationInfo: true, scriptingEnabled: false }),
    start,
  );
}

const start: Position = { kind: 'paragraph', lists: 0, leadIn: undefined, depth: 0 };

class HtmlWalk {
  private inline = new InlineText();
  private line: number;

  constructor(
    private readonly builder: BlockBuilder,
    private readonly options: Options,
  ) {
    this.line = options.firstLine;
  }

  children(parent: Tree.ParentNode, position: Position): void {
    this.run(parent, position);
    this.flush(position);
  }

  /** Walks the children of a block; `flush` has to follow, with the kind that the gathered text has. */
  private run(parent: Tree.ParentNode, position: Position): void {
    if (position.depth > MAX_HTML_DEPTH) {
      throw new ToolError(
        'document_too_deep',
        `'${this.options.path}' nests its elements more than ${MAX_HTML_DEPTH} deep, which no reader follows. Flatten it.`,
      );
    }
    const inner = { ...position, depth: position.depth + 1 };
    for (const child of parent.childNodes) this.node(child, inner);
  }

  private node(node: Node, position: Position): void {
    if (node.nodeName === '#text') this.textNode(node as Tree.TextNode);
    else if ('tagName' in node) this.element(node, position);
  }

  private textNode(node: Tree.TextNode): void {
    let line = (node.sourceCodeLocation?.startLine ?? 1) + this.options.firstLine - 1;
    for (const [i, part] of node.value.split('\n').entries()) {
      if (i > 0) {
        this.inline.breakWord();
        line += 1;
      }
      this.inline.push(part, line);
    }
    this.line = line;
  }

  private element(node: Element, position: Position): void {
    const { tagName } = node;
    if (
      SKIPPED.has(tagName) ||
      attribute(node, 'hidden') !== undefined ||
      (tagName === 'footer' && node.parentNode?.nodeName === 'body')
    )
      return;
    if (tagName === 'br') return this.inline.breakWord();
    if (tagName === 'img') return this.inline.push(attribute(node, 'alt') ?? '', this.line);
    if (INLINE.has(tagName)) return this.inlineElement(node, position);
    this.flush(position);
    if (/^h[1-6]$/.test(tagName)) return this.heading(node, position);
    switch (tagName) {
      case 'ul':
      case 'ol':
      case 'menu':
        return this.list(node, position);
      case 'dl':
        return this.definitions(node, position);
      case 'table':
        return this.table(node, position);
      case 'pre':
        return this.block(node, { ...position, kind: 'code' });
      case 'blockquote':
        return this.block(node, { ...position, kind: 'quote' });
      default:
        return this.block(node, position);
    }
  }

  private inlineElement(node: Element, position: Position): void {
    const from = this.inline.nextOffset;
    this.run(node, position);
    if (CODE.has(node.tagName) && this.inline.text.length > from)
      this.inline.code.push([from, this.inline.text.length]);
  }

  private block(node: Element, position: Position): void {
    this.run(node, position);
    this.flush(position);
  }

  private heading(node: Element, position: Position): void {
    this.run(node, position);
    const title = attribute(node, 'class') === 'title';
    this.builder.heading(title ? 0 : Number(node.tagName[1]), this.take());
  }

  private list(node: Element, position: Position): void {
    const leadIn = this.builder.announcement() ?? position.leadIn;
    for (const child of node.childNodes) {
      if (!('tagName' in child)) continue;
      if (child.tagName !== 'li') {
        this.element(child, position);
        continue;
      }
      const first = this.builder.blocks.length;
      // The first text of the item is the item; what follows in it are paragraphs that belong to it.
      this.item(child, { ...position, kind: 'list-item', lists: position.lists + 1, leadIn }, first);
    }
  }

  private item(node: Element, position: Position, first: number): void {
    const inner = { ...position, depth: position.depth + 1 };
    for (const child of node.childNodes) {
      if (
        'tagName' in child &&
        !INLINE.has(child.tagName) &&
        child.tagName !== 'br' &&
        this.builder.blocks.length === first
      )
        this.flush(inner);
      const own = this.builder.blocks.length > first ? { ...inner, kind: 'paragraph' as const, leadIn: first } : inner;
      this.node(child, own);
    }
    this.flush(this.builder.blocks.length > first ? { ...inner, kind: 'paragraph', leadIn: first } : inner);
  }

  private definitions(node: Element, position: Position): void {
    let term: number | undefined;
    const walk = (parent: Element): void => {
      for (const child of parent.childNodes) {
        if (!('tagName' in child)) continue;
        if (child.tagName === 'div') walk(child);
        else if (child.tagName === 'dt') {
          const before = this.builder.blocks.length;
          this.block(child, { ...position, kind: 'paragraph' });
          term = this.builder.blocks.length > before ? before : term;
        } else if (child.tagName === 'dd') {
          this.item(
            child,
            { ...position, kind: 'list-item', lists: position.lists + 1, leadIn: term ?? position.leadIn },
            this.builder.blocks.length,
          );
        }
      }
    };
    walk(node);
  }

  private table(node: Element, position: Position): void {
    const leadIn = this.builder.announcement();
    const rows = rowsOf(node);
    // A table that holds headings, lists of blocks or other tables only lays out the page.
    if (rows.some((row) => cellsOf(row).some((cell) => contains(cell, /^(?:h[1-6]|table)$/)))) {
      for (const row of rows) for (const cell of cellsOf(row)) this.block(cell, position);
      return;
    }
    let header: string[] | undefined;
    rows.forEach((row, number) => {
      const cells = cellsOf(row);
      const ranges: [number, number][] = [];
      cells.forEach((cell, i) => {
        this.inline.breakWord();
        if (i > 0) this.inline.push('|', this.line);
        this.inline.breakWord();
        const from = this.inline.nextOffset;
        this.cell(cell, position);
        ranges.push([from, Math.max(from, this.inline.text.length)]);
      });
      const inline = this.take();
      const names = ranges.map(([from, to]) => inline.text.slice(from, to));
      if (names.every((name) => name === '')) return;
      const isHeader =
        number === 0 && cells.length > 1 && (cells.every((cell) => cell.tagName === 'th') || looksLikeHeader(names));
      this.builder.add('table-row', inline, {
        cells: ranges,
        ...(header && { header }),
        ...(leadIn !== undefined && { leadIn }),
      });
      if (isHeader) header = names;
    });
  }

  /** All text of a cell as one line: blocks in it only separate words. */
  private cell(node: Element, position: Position): void {
    for (const child of node.childNodes) {
      if (child.nodeName === '#text') this.textNode(child as Tree.TextNode);
      else if ('tagName' in child && !SKIPPED.has(child.tagName)) {
        if (child.tagName === 'img') continue;
        const from = this.inline.nextOffset;
        if (!INLINE.has(child.tagName)) this.inline.breakWord();
        this.cell(child, { ...position, depth: position.depth + 1 });
        if (!INLINE.has(child.tagName)) this.inline.breakWord();
        if (CODE.has(child.tagName) && this.inline.text.length > from)
          this.inline.code.push([from, this.inline.text.length]);
      }
    }
  }

  private take(): InlineText {
    const { inline } = this;
    this.inline = new InlineText();
    return inline;
  }

  private flush(position: Position): void {
    const { kind, lists, leadIn } = position;
    this.builder.add(kind, this.take(), {
      ...(kind === 'list-item' && { level: lists }),
      ...(leadIn !== undefined && { leadIn }),
    });
  }
}
