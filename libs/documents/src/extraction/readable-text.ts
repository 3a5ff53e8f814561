import type { Block, LocationUnit } from '../source-document.js';

/** The readable text of a document: Markdown with one block per line. */
export interface ReadableText {
  readonly text: string;
  /** Line of each block in the text, counted from 1. */
  readonly lines: readonly number[];
}

/** Renders a single block as Markdown. */
export function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(Math.min(6, Math.max(1, block.level ?? 1)))} ${block.text}`;
    case 'list-item':
      return `${'  '.repeat(Math.max(0, (block.level ?? 1) - 1))}- ${block.text}`;
    case 'table-row':
      return `| ${block.text} |`;
    case 'quote':
      return `> ${block.text}`;
    case 'code':
      return `    ${block.text}`;
    default:
      return block.text;
  }
}

/** Renders all blocks. Marks where PDF pages begin, so that a reader can cite them. */
export function renderReadableText(blocks: readonly Block[], unit: LocationUnit): ReadableText {
  const output: string[] = [];
  const lines: number[] = [];
  let page = 0;
  blocks.forEach((block, i) => {
    const before = blocks[i - 1];
    const isTight =
      before?.kind === block.kind &&
      (block.kind === 'list-item' || block.kind === 'table-row' || block.kind === 'code');
    if (before && !isTight) output.push('');
    const start = block.marks[0]?.[1] ?? 1;
    if (unit === 'page' && start !== page) {
      output.push(`<!-- page ${start} -->`, '');
      page = start;
    }
    output.push(renderBlock(block));
    lines.push(output.length);
    if (unit === 'page') page = block.marks.at(-1)?.[1] ?? page;
  });
  return { text: `${output.join('\n')}\n`, lines };
}
