import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cutText } from './cut-text.js';

it('covers all words, moves forward and reports the right lines for any text', () => {
  const line = fc.oneof(
    fc.string({ maxLength: 200 }),
    fc.constantFrom('', '# Heading', 'word '.repeat(400), '\r'),
    fc.string({ minLength: 1_000, maxLength: 3_000 }),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), fc.constantFrom('\n', '\r\n'), (parts, end) => {
      const text = parts.join(end);
      const lines = text.split(/\r\n|\r|\n/);
      const covered = new Set<number>();
      let before = 0;
      for (const { from, to, text: words } of cutText(text)) {
        expect(from).toBeGreaterThanOrEqual(before);
        expect(to).toBeLessThanOrEqual(lines.length);
        expect(words.length).toBeLessThanOrEqual(1_200);
        expect(
          lines
            .slice(from - 1, to)
            .join('\n')
            .toWellFormed(),
        ).toContain(words.replace(/^\ufffd|\ufffd$/g, ''));
        for (let i = from; i <= to; i += 1) covered.add(i);
        before = from;
      }
      lines.forEach((words, i) => {
        if (words.trim() !== '') expect(covered).toContain(i + 1);
      });
    }),
    { numRuns: 200 },
  );
});

it('starts a new chunk at a heading', () => {
  const text = `# A\n\n${'One sentence about gates. '.repeat(25)}\n\n# B\n\nAnother thing.`;
  expect(cutText(text).map(({ from, to }) => [from, to])).toEqual([
    [1, 4],
    [5, 7],
  ]);
});
