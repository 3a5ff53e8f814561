import { expect, it } from 'vitest';
import { findReaders, followPage } from './follow-page.js';

it.each(findReaders('explaining a line'))(
  'the page of explaining a line can be followed as %s',
  { timeout: 800_000 },
  async (as) => {
    const blocks = await followPage('docs/how-to/explain-a-line.md', { as });
    const [listed, explained, earlier] = blocks.map(({ output }) => output);
    expect(listed).toMatch(/^workspace\.md \d+ lines\n\n *LINES +WRITTEN BY/);
    expect(listed).toMatch(/write_file +1 +\d+ +\d+/);
    expect(explained).toMatch(/^output\/requirements\.json:\d+ .*ten years/);
    expect(explained).toMatch(/written by +cite_document\n/);
    expect(explained).toMatch(/prompt +phaseline prompt \S+ --phase \d+ --step \d+ \(hash [0-9a-f]{12}\)/);
    expect(explained).toMatch(
      /Cites:\n {2}documents\/note\.md, line 3, "The service must store every message for ten years\."/,
    );
    expect(explained).toMatch(/Read before, [^]*notes\/extraction\.md \(read_file, step \d+\)/);
    expect(earlier).toMatch(/^output\/requirements\.json \d+ lines\n[^]*cite_document/);
  },
);
