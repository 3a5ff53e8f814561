import { type DefaultTreeAdapterMap, type DefaultTreeAdapterTypes as Tree, parseFragment, Parser } from 'parse5';
import { ToolError } from '@phaseline/contracts';
import {
  BlockBuilder,
  InlineText,
  yieldOrAbort,
  countLines,
  type BlockKind,
  type SourceDocument,
} from '@phaseline/documents';
import { MAX_NESTING_DEPTH } from './limits.js';
import { looksLikeHeader } from './plain-structure.js';
import { readTextBlocks } from './read-text.js';
import { getAttribute, findCells, hasDescendant, findRows } from './html-elements.js';
import { isPlainTextPage, collectPreformattedLines } from './html-plain-page.js';

type Element = Tree.Element;
type Node = Tree.ChildNode;

/** Elements whose text is not part of the document: scripts, navigation, controls, drawings. */
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
/** Inline elements; all others start a new block. */
const INLINE = new Set(
  ('a abbr acronym b bdi bdo big cite code data del dfn em font i img input ins kbd label mark nobr output q rp rt ruby s samp small span strike strong sub sup time tt u var wbr')
    .split(' '),
); // prettier-ignore
const CODE = new Set(['code', 'kbd', 'samp', 'tt', 'var']);
/** Maximum nesting of elements. HTML is nested deeper than prose, because every layer of layout counts. */
const MAX_HTML_DEPTH = MAX_NESTING_DEPTH * 8;

interface Options {
  readonly path: string;
  /** Line of the first character of the markup in its source. */
  readonly firstLine: number;
}

interface Position {
  readonly kind: BlockKind;
  /** Nesting depth of lists. */
  readonly lists: number;
  readonly leadIn: number | undefined;
  readonly depth: number;
}

/**
 * Reads an HTML page: text, headings, lists, tables, definition lists. Ignores scripts, styles and navigation. Locations are lines
 * of the source.
 */
export async function readHtml(source: string, path: string, signal: AbortSignal): Promise<SourceDocument> {
  const document = await parsePage(source, signal);
  const builder = new BlockBuilder();
  new HtmlWalker(builder, { path, firstLine: 1 }).walkChildren(document, startPosition);
  const blocks = isPlainTextPage(builder)
    ? (await readTextBlocks(collectPreformattedLines(document), signal)).blocks
    : builder.blocks;
  return { format: 'html', blocks, units: countLines(source), notes: [], raw: source };
}

/** Characters parsed per turn of the event loop. */
const CHARACTERS_PER_TURN = 128 * 1024;

async function parsePage(source: string, signal: AbortSignal): Promise<Tree.Document> {
  const parser = new Parser<DefaultTreeAdapterMap>({ sourceCodeLocationInfo: true, scriptingEnabled: false });
  for (let at = 0; at < source.length; at += CHARACTERS_PER_TURN) {
    await yieldOrAbort(signal);
    parser.tokenizer.write(source.slice(at, at + CHARACTERS_PER_TURN), at + CHARACTERS_PER_TURN >= source.length);
  }
  return parser.document;
}

/** Adds the blocks of an HTML fragment that is part of another document or was generated from one. */
export function readHtmlInto(builder: BlockBuilder, markup: string, options: Options): void {
  new HtmlWalker(builder, options).walkChildren(
    parseFragment(markup, { sourceCodeLocationInfo: true, scriptingEnabled: false }),
    startPosition,
  );
}

const startPosition: Position = { kind: 'paragraph', lists: 0, leadIn: undefined, depth: 0 };

class HtmlWalker {
  private inline = new InlineText();
  private line: number;

  constructor(
    private readonly builder: BlockBuilder,
    private readonly options: Options,
  ) {
    this.line = options.firstLine;
  }

  walkChildren(parent: Tree.ParentNode, position: Position): void {
    this.walkInner(parent, position);
    this.flush(position);
  }

  /** Walks the children of a block. The caller must then call `flush` with the kind of the collected text. */
  private walkInner(parent: Tree.ParentNode, position: Position): void {
    if (position.depth > MAX_HTML_DEPTH) {
      throw new ToolError(
        'document_too_deep',
        `'${this.options.path}' nests its elements more than ${MAX_HTML_DEPTH} levels deep. Reduce the nesting.`,
      );
    }
    const inner = { ...position, depth: position.depth + 1 };
    for (const child of parent.childNodes) this.walkNode(child, inner);
  }

  private walkNode(node: Node, position: Position): void {
    if (node.nodeName === '#text') this.addText(node as Tree.TextNode);
    else if ('tagName' in node) this.walkElement(node, position);
  }

  private addText(node: Tree.TextNode): void {
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

  private walkElement(node: Element, position: Position): void {
    const { tagName } = node;
    if (
      SKIPPED.has(tagName) ||
      getAttribute(node, 'hidden') !== undefined ||
      (tagName === 'footer' && node.parentNode?.nodeName === 'body')
    )
      return;
    if (tagName === 'br') return this.inline.breakWord();
    if (tagName === 'img') return this.inline.push(getAttribute(node, 'alt') ?? '', this.line);
    if (INLINE.has(tagName)) return this.addInline(node, position);
    this.flush(position);
    if (/^h[1-6]$/.test(tagName)) return this.addHeading(node, position);
    switch (tagName) {
      case 'ul':
      case 'ol':
      case 'menu':
        return this.addList(node, position);
      case 'dl':
        return this.addDefinitions(node, position);
      case 'table':
        return this.addTable(node, position);
      case 'pre':
        return this.addBlock(node, { ...position, kind: 'code' });
      case 'blockquote':
        return this.addBlock(node, { ...position, kind: 'quote' });
      default:
        return this.addBlock(node, position);
    }
  }

  private addInline(node: Element, position: Position): void {
    const from = this.inline.nextOffset;
    this.walkInner(node, position);
    if (CODE.has(node.tagName) && this.inline.text.length > from)
      this.inline.code.push([from, this.inline.text.length]);
  }

  private addBlock(node: Element, position: Position): void {
    this.walkInner(node, position);
    this.flush(position);
  }

  private addHeading(node: Element, position: Position): void {
    this.walkInner(node, position);
    const isTitle = getAttribute(node, 'class') === 'title';
    this.builder.addHeading(isTitle ? 0 : Number(node.tagName[1]), this.takeInline());
  }

  private addList(node: Element, position: Position): void {
    const leadIn = this.builder.findLeadIn() ?? position.leadIn;
    for (const child of node.childNodes) {
      if (!('tagName' in child)) continue;
      if (child.tagName !== 'li') {
        this.walkElement(child, position);
        continue;
      }
      const first = this.builder.blocks.length;
      // The first text of an item is the item itself; further texts are paragraphs that belong to it.
      this.addItem(child, { ...position, kind: 'list-item', lists: position.lists + 1, leadIn }, first);
    }
  }

  private addItem(node: Element, position: Position, first: number): void {
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
      this.walkNode(child, own);
    }
    this.flush(this.builder.blocks.length > first ? { ...inner, kind: 'paragraph', leadIn: first } : inner);
  }

  private addDefinitions(node: Element, position: Position): void {
    let term: number | undefined;
    const walk = (parent: Element): void => {
      for (const child of parent.childNodes) {
        if (!('tagName' in child)) continue;
        if (child.tagName === 'div') walk(child);
        else if (child.tagName === 'dt') {
          const before = this.builder.blocks.length;
          this.addBlock(child, { ...position, kind: 'paragraph' });
          term = this.builder.blocks.length > before ? before : term;
        } else if (child.tagName === 'dd') {
          this.addItem(
            child,
            { ...position, kind: 'list-item', lists: position.lists + 1, leadIn: term ?? position.leadIn },
            this.builder.blocks.length,
          );
        }
      }
    };
    walk(node);
  }

  private addTable(node: Element, position: Position): void {
    const leadIn = this.builder.findLeadIn();
    const rows = findRows(node);
    // A table that contains headings or other tables is used for page layout.
    if (rows.some((row) => findCells(row).some((cell) => hasDescendant(cell, /^(?:h[1-6]|table)$/)))) {
      for (const row of rows) for (const cell of findCells(row)) this.addBlock(cell, position);
      return;
    }
    let header: string[] | undefined;
    rows.forEach((row, number) => {
      const cells = findCells(row);
      const ranges: [number, number][] = [];
      cells.forEach((cell, i) => {
        this.inline.breakWord();
        if (i > 0) this.inline.push('|', this.line);
        this.inline.breakWord();
        const from = this.inline.nextOffset;
        this.addCell(cell, position);
        ranges.push([from, Math.max(from, this.inline.text.length)]);
      });
      const inline = this.takeInline();
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

  /** Adds all text of a cell as one line; blocks within the cell only separate words. */
  private addCell(node: Element, position: Position): void {
    for (const child of node.childNodes) {
      if (child.nodeName === '#text') this.addText(child as Tree.TextNode);
      else if ('tagName' in child && !SKIPPED.has(child.tagName)) {
        if (child.tagName === 'img') continue;
        const from = this.inline.nextOffset;
        if (!INLINE.has(child.tagName)) this.inline.breakWord();
        this.addCell(child, { ...position, depth: position.depth + 1 });
        if (!INLINE.has(child.tagName)) this.inline.breakWord();
        if (CODE.has(child.tagName) && this.inline.text.length > from)
          this.inline.code.push([from, this.inline.text.length]);
      }
    }
  }

  private takeInline(): InlineText {
    const { inline } = this;
    this.inline = new InlineText();
    return inline;
  }

  private flush(position: Position): void {
    const { kind, lists, leadIn } = position;
    this.builder.add(kind, this.takeInline(), {
      ...(kind === 'list-item' && { level: lists }),
      ...(leadIn !== undefined && { leadIn }),
    });
  }
}
