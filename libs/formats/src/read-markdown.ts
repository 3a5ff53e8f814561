import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { ToolError } from '@phaseline/contracts';
import { BlockBuilder, InlineText, yieldOrAbort, countLines, type SourceDocument } from '@phaseline/documents';
import { MAX_NESTING_DEPTH } from './limits.js';
import { splitMarkdown } from './split-markdown.js';
import { alignText } from './markdown-align.js';
import { isTooDeeplyNested } from './markdown-nesting.js';
import { readHtmlInto } from './read-html.js';

type Root = ReturnType<typeof fromMarkdown>;
type Node = Root | Root['children'][number];
type Parent = Extract<Node, { children: unknown[] }>;

/** Position of a piece in the whole source. */
interface Origin {
  readonly source: string;
  /** Number of source lines before the piece. */
  readonly lines: number;
  readonly offset: number;
}

interface Position {
  readonly depth: number;
  readonly leadIn?: number | undefined;
  readonly quoted: boolean;
  /** Whether the first table of the piece continues a table that was cut, whose header was already read. */
  readonly continuesTable?: boolean;
}

const syntax = [gfm()];
// The transforms of GFM only link bare addresses, and the nodes that they create have no position.
const treeExtensions = gfmFromMarkdown().map(({ transforms: _, ...extension }) => extension);

/** Reads Markdown (CommonMark with the GitHub extensions). Locations are lines of the source. */
export async function readMarkdown(source: string, path: string, signal: AbortSignal): Promise<SourceDocument> {
  if (isTooDeeplyNested(source)) throw buildTooDeepError(path);
  const builder = new BlockBuilder();
  const frontMatter = /^---\n[\s\S]{0,20000}?\n(?:---|\.\.\.)(?:\n|$)/.exec(source)?.[0] ?? '';
  const body = source.slice(frontMatter.length);
  const before = { lines: frontMatter.split('\n').length - 1, offset: frontMatter.length };
  for (const piece of splitMarkdown(body)) {
    await yieldOrAbort(signal);
    const tree = fromMarkdown(piece.text, { extensions: syntax, mdastExtensions: treeExtensions });
    const origin = { source, lines: before.lines + piece.line - 1, offset: before.offset + piece.offset };
    walkChildren(builder, tree, origin, { depth: 0, quoted: false, continuesTable: piece.repeatsHeader }, path);
  }
  const notes = frontMatter === '' ? [] : [`The front matter (lines 1 to ${before.lines}) is not part of the text.`];
  return { format: 'markdown', blocks: builder.blocks, units: countLines(source), notes, raw: source };
}

function buildTooDeepError(path: string): ToolError {
  return new ToolError(
    'document_too_deep',
    `'${path}' nests lists, quotes or links more than ${MAX_NESTING_DEPTH} levels deep. Reduce the nesting.`,
  );
}

function walkChildren(builder: BlockBuilder, parent: Parent, origin: Origin, position: Position, path: string): void {
  if (position.depth > MAX_NESTING_DEPTH) throw buildTooDeepError(path);
  for (const child of parent.children) walk(builder, child as Node, origin, position, path, parent.children[0] as Node);
}

function walk(builder: BlockBuilder, node: Node, origin: Origin, position: Position, path: string, first?: Node): void {
  const { leadIn, quoted } = position;
  switch (node.type) {
    case 'heading':
      builder.addHeading(node.depth, buildInline(node, origin));
      break;
    case 'paragraph':
      builder.add(quoted ? 'quote' : 'paragraph', buildInline(node, origin), {
        ...(leadIn !== undefined && { leadIn }),
      });
      break;
    case 'blockquote':
      walkChildren(builder, node, origin, { ...position, depth: position.depth + 1, quoted: true }, path);
      break;
    case 'list':
      walkList(builder, node, origin, position, path);
      break;
    case 'table':
      walkTable(builder, node, origin, position.continuesTable === true && node === first);
      break;
    case 'code': {
      const inline = new InlineText();
      const first =
        (node.position?.start.line ?? 1) +
        origin.lines +
        (sliceSource(origin, node).startsWith('`') || sliceSource(origin, node).startsWith('~') ? 1 : 0);
      node.value.split('\n').forEach((line, i) => {
        inline.breakWord();
        inline.push(line, first + i);
      });
      builder.add('code', inline);
      break;
    }
    case 'html':
      readHtmlInto(builder, node.value, { path, firstLine: (node.position?.start.line ?? 1) + origin.lines });
      break;
    case 'footnoteDefinition':
      walkChildren(builder, node, origin, { ...position, depth: position.depth + 1 }, path);
      break;
    default:
      break;
  }
}

function walkList(
  builder: BlockBuilder,
  list: Extract<Node, { type: 'list' }>,
  origin: Origin,
  position: Position,
  path: string,
): void {
  const announced = builder.findLeadIn() ?? position.leadIn;
  for (const item of list.children) {
    let own: number | undefined;
    for (const child of item.children) {
      if (child.type === 'paragraph' && own === undefined) {
        own = builder.add('list-item', buildInline(child, origin), {
          level: position.depth + 1,
          ...(announced !== undefined && { leadIn: announced }),
        });
      } else {
        walk(
          builder,
          child,
          origin,
          { depth: position.depth + 1, leadIn: own ?? announced, quoted: position.quoted },
          path,
        );
      }
    }
  }
}

function walkTable(
  builder: BlockBuilder,
  table: Extract<Node, { type: 'table' }>,
  origin: Origin,
  isHeaderRead: boolean,
): void {
  const leadIn = builder.findLeadIn();
  let header: string[] | undefined;
  for (const row of table.children) {
    const inline = new InlineText();
    const cells: [number, number][] = [];
    const line = (row.position?.start.line ?? 1) + origin.lines;
    row.children.forEach((cell, i) => {
      inline.breakWord();
      if (i > 0) inline.push('|', line);
      inline.breakWord();
      const from = inline.nextOffset;
      // A table cell has children like any other parent.
      inlineChildren(inline, cell as unknown as Parent, origin, line);
      cells.push([from, Math.max(from, inline.text.length)]);
    });
    const names = cells.map(([from, to]) => inline.text.slice(from, to));
    if (names.every((name) => name === '')) continue;
    if (header || !isHeaderRead)
      builder.add('table-row', inline, { cells, ...(header && { header }), ...(leadIn !== undefined && { leadIn }) });
    header ??= names;
  }
}

function sliceSource(origin: Origin, node: Node): string {
  const { start, end } = node.position ?? {};
  if (start?.offset === undefined || end?.offset === undefined) return '';
  return origin.source.slice(origin.offset + start.offset, origin.offset + end.offset);
}

function buildInline(node: Parent, origin: Origin): InlineText {
  const inline = new InlineText();
  inlineChildren(inline, node, origin, (node.position?.start.line ?? 1) + origin.lines);
  return inline;
}

function inlineChildren(inline: InlineText, parent: Parent, origin: Origin, line: number): void {
  for (const child of parent.children) inlineNode(inline, child as Node, origin, line);
}

function inlineNode(inline: InlineText, node: Node, origin: Origin, parentLine: number): void {
  const line = node.position ? node.position.start.line + origin.lines : parentLine;
  const start = node.position?.start.offset;
  const from = inline.nextOffset;
  switch (node.type) {
    case 'text':
      if (start === undefined) inline.push(node.value, line);
      else alignText(inline, node.value, sliceSource(origin, node), { line, offset: origin.offset + start });
      return;
    case 'inlineCode': {
      const quoted = node.value.includes('`') ? `\`\` ${node.value} \`\`` : `\`${node.value}\``;
      const raw = sliceSource(origin, node);
      if (start !== undefined && raw === quoted) inline.push(quoted, line, origin.offset + start);
      else inline.push(quoted, line);
      inline.code.push([from, inline.text.length]);
      break;
    }
    case 'break':
      inline.breakWord();
      return;
    case 'html':
      if (/^<br\s*\/?>/i.test(node.value)) inline.breakWord();
      return;
    case 'image':
    case 'imageReference':
      inline.push(node.alt ?? '', line);
      break;
    case 'link':
    case 'linkReference':
    case 'emphasis':
    case 'strong':
    case 'delete':
      inlineChildren(inline, node, origin, line);
      break;
    default:
      return;
  }
  const end = node.position?.end.offset;
  if (start !== undefined && end !== undefined && inline.text.length > from) {
    inline.wraps.push(from, inline.text.length, origin.offset + start, origin.offset + end);
  }
}
