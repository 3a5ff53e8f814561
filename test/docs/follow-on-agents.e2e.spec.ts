import { expect, it } from 'vitest';
import { findReaders, followPage } from './follow-page.js';

it.each(findReaders('follow-on-agents'))(
  'the page of follow-on agents can be followed as %s',
  { timeout: 800_000 },
  async (as) => {
    const blocks = await followPage('docs/how-to/follow-on-agents.md', { as });
    const [followed, submitted] = blocks.map(({ output }) => output);
    expect(followed).toMatch(/\nvalidator: job [0-9a-f-]{36}, batch 1 \(2 requirements\)\n/);
    expect(followed!.match(/completed/g)!.length).toBeGreaterThanOrEqual(2);
    expect(submitted).toContain('"followOn":{"collection":"default","batch":1,"requirements":2}');
    expect(submitted).toContain('system/follow-on');
  },
);
