import type { DefaultTreeAdapterTypes as Tree } from 'parse5';
import type { BlockBuilder, BlockKind } from '@phaseline/documents';

/** Whether a page is plain text in `pre` elements. What looks like code is then the document itself. */
export function isPlainTextPage({ blocks }: BlockBuilder): boolean {
  const countCharacters = (kind?: BlockKind): number =>
    blocks.reduce((sum, block) => sum + (kind === undefined || block.kind === kind ? block.text.length : 0), 0);
  return countCharacters('code') > 2_000 && countCharacters('code') > countCharacters() * 0.6;
}

/** Returns the lines of all `pre` elements with their line numbers in the source. */
export function collectPreformattedLines(document: Tree.ParentNode): { text: string; number: number }[] {
  const lines = new Map<number, string>();
  const open: { node: Tree.ChildNode | Tree.ParentNode; inside: boolean }[] = [{ node: document, inside: false }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, inside } = next;
    if (inside && node.nodeName === '#text') {
      const { value, sourceCodeLocation } = node as Tree.TextNode;
      value.split('\n').forEach((part, i) => {
        const number = (sourceCodeLocation?.startLine ?? 1) + i;
        lines.set(number, (lines.get(number) ?? '') + part);
      });
    }
    if (!('childNodes' in node)) continue;
    const within = inside || node.nodeName === 'pre';
    for (const child of [...node.childNodes].reverse()) open.push({ node: child, inside: within });
  }
  return [...lines].sort(([a], [b]) => a - b).map(([number, text]) => ({ number, text }));
}
