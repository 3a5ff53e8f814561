import { expect, it } from 'vitest';
import { findReaders, followPage } from './follow-page.js';

it.each(findReaders('experiments'))(
  'the page of experiments can be followed as %s',
  { timeout: 400_000 },
  async (as) => {
    const [tried] = (await followPage('docs/how-to/experiments.md', { as })).map(({ output }) => output);
    expect(tried).toContain('job aborted');
    expect(tried).toMatch(/Branches complete from every point[^]*after \d+ answers: 1 of 1 branch completed, passes/);
    expect(tried).toMatch(/✓ same calls: other calls after 0 of 3 prompts in 1 job/);
  },
);
