import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addExperience } from './experience.js';
import { addItem, listItems, toItemText } from './markdown-list.js';

const line = fc.constantFrom('# Title', '## Notes', '## Other', '- one', 'words', '', '- two', '### Sub', '* three');
const file = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'));
const isPartOf = (before: readonly string[], after: readonly string[]): boolean => {
  let at = 0;
  for (const one of after) if (one === before[at]) at += 1;
  return at === before.length;
};
const nonBlankLines = (text: string): readonly string[] => text.split('\n').filter((one) => one.trim() !== '');

describe('a list in a shared Markdown file', () => {
  it('gets its item, and all other lines keep their order', () => {
    fc.assert(
      fc.property(file, fc.constantFrom('Notes', 'New'), (text, heading) => {
        const after = addItem(text, heading, 'the item');
        expect(listItems(after, heading).at(-1)).toBe('the item');
        expect(listItems(after, heading).slice(0, -1)).toEqual(listItems(text, heading));
        expect(isPartOf(nonBlankLines(text), nonBlankLines(after))).toBe(true);
        expect(after.endsWith('\n')).toBe(true);
      }),
    );
  });

  it('grows item by item', () => {
    const text = ['a', 'b', 'c'].reduce((before, item) => addItem(before, 'Notes', item), '# Workspace\n');
    expect(text).toBe('# Workspace\n\n## Notes\n\n- a\n- b\n- c\n');
    expect(addItem('# W\n\n## Notes\n\n## Other\n\n- x\n', 'Notes', 'a')).toBe(
      '# W\n\n## Notes\n\n- a\n\n## Other\n\n- x\n',
    );
    expect(listItems('## Notes\r\n\r\n- of Windows\r\n', 'Notes').map((item) => item.trim())).toEqual(['of Windows']);
  });

  it('stores any text as a single line', () => {
    expect(toItemText('  a\n## b\r\n\u2028- c\u0000 ', 100)).toBe('a ## b - c');
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        const item = toItemText(text, 50);
        expect(item.length).toBeLessThanOrEqual(50);
        expect(item).not.toMatch(/[\n\r\u2028\u2029\u0000]/);
        expect(item.isWellFormed()).toBe(true);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the file of experiences', () => {
  it('contains each experience once, below its heading, and has a maximum size', () => {
    let text: string | undefined;
    for (const experience of [
      { kind: 'lesson', text: 'Look twice' },
      { kind: 'failed', text: 'Guessing' },
      { kind: 'lesson', text: 'Look\ntwice' },
    ] as const)
      text = addExperience(text, experience)?.file ?? text;
    expect(text).toBe('# Experiences\n\n## Lessons learned\n\n- Look twice\n\n## Failed approaches\n\n- Guessing\n');
    for (let number = 0; number < 500; number += 1)
      text = addExperience(text, { kind: 'works', text: `${number} ${'x'.repeat(2_000)}` })?.file ?? text;
    expect(text!.length).toBeLessThan(66_000);
    expect(addExperience(text, { kind: 'works', text: ' \n ' })).toBeUndefined();
  });
});
