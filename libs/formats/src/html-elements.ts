import type { DefaultTreeAdapterTypes as Tree } from 'parse5';

type Element = Tree.Element;

export function getAttribute(node: Element, name: string): string | undefined {
  return node.attrs.find((attr) => attr.name === name)?.value;
}

export function findRows(node: Element): Element[] {
  return node.childNodes.flatMap((child) => {
    if (!('tagName' in child)) return [];
    if (child.tagName === 'tr') return [child];
    return /^t(?:head|body|foot)$/.test(child.tagName) ? findRows(child) : [];
  });
}

export function findCells(row: Element): Element[] {
  return row.childNodes.filter((child): child is Element => 'tagName' in child && /^t[dh]$/.test(child.tagName));
}

export function hasDescendant(node: Element, pattern: RegExp): boolean {
  const open: Element[] = [node];
  for (let next = open.pop(); next; next = open.pop()) {
    for (const child of next.childNodes) {
      if (!('tagName' in child)) continue;
      if (pattern.test(child.tagName)) return true;
      open.push(child);
    }
  }
  return false;
}
