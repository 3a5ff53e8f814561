import { clip } from '@phaseline/basics';

/**
 * Adds an item to the list below a second-level heading. A missing heading is added at the end. All other lines stay
 * unchanged.
 */
export function addItem(text: string, heading: string, item: string): string {
  const lines = text === '' ? [] : text.replace(/\r?\n$/, '').split('\n');
  const at = lines.findIndex((line) => isHeading(line, heading));
  if (at < 0) {
    const before = lines.length > 0 && lines.at(-1)?.trim() !== '' ? [''] : [];
    return [...lines, ...before, `## ${heading}`, '', `- ${item}`, ''].join('\n');
  }
  let end = findSectionEnd(lines, at);
  while (end > at + 1 && lines[end - 1]?.trim() === '') end -= 1;
  const gap = end === at + 1 ? [''] : [];
  const apart = end < lines.length && lines[end]?.trim() !== '' ? [''] : [];
  return [...lines.slice(0, end), ...gap, `- ${item}`, ...apart, ...lines.slice(end), ''].join('\n');
}

/** Items of the list below that heading, without their bullets, in file order. */
export function listItems(text: string, heading: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  const at = lines.findIndex((line) => isHeading(line, heading));
  if (at < 0) return [];
  return lines.slice(at + 1, findSectionEnd(lines, at)).flatMap((line) => /^[-*]\s+(\S.*)$/.exec(line)?.[1] ?? []);
}

/** Converts a text to a single line of at most `limit` characters, so that no item can start a section or list. */
export function toItemText(text: string, limit: number): string {
  // Line breaks and control characters become spaces.
  const line = text
    .toWellFormed()
    .replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
    .trim();
  return line.length > limit ? clip(line, limit - 1) : line;
}

/** Returns the index of the line after the section whose heading is at `at`. */
function findSectionEnd(lines: readonly string[], at: number): number {
  const next = lines.findIndex((line, index) => index > at && /^#{1,2}\s/.test(line));
  return next < 0 ? lines.length : next;
}

function isHeading(line: string, heading: string): boolean {
  if (!/^##\s/.test(line)) return false;
  // One pass from the end: a regular expression for both ends would take time to the fourth power of a blank line's length.
  let title = line.slice(2).trim();
  let end = title.length;
  while (end > 0 && title[end - 1] === '#') end -= 1;
  title = title.slice(0, end).trimEnd();
  return title.toLowerCase() === heading.toLowerCase();
}
