import { expect, it } from 'vitest';
import { findReaders, followPage } from './follow-page.js';

it.each(findReaders('plans'))('the page of plans can be followed as %s', { timeout: 600_000 }, async (as) => {
  const blocks = await followPage('docs/how-to/plans.md', { as });
  const [waiting, approved, files] = blocks.map(({ output }) => output);
  expect(waiting).toMatch(/The exit code is 3\.\nneeds_clarification\n[^]*Learn to sail[^]*Reply 'approve'/);
  expect(approved).toMatch(/runs the call\.[^]*JobCompleted/);
  expect(files).toMatch(/plan\/schedule\.json[^]*\ncomplete$/);
});
