import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findReaders, followPage } from './follow-page.js';

let agents: string;
beforeEach(async () => {
  agents = await mkdtemp(join(tmpdir(), 'phaseline-agents-'));
  // The reader may be another user than the one who runs the spec.
  await chmod(agents, 0o777);
});
afterEach(() => rm(agents, { recursive: true, force: true }));

it.each(findReaders('verifiers'))('the page of verifiers can be followed as %s', { timeout: 800_000 }, async (as) => {
  const blocks = await followPage('docs/how-to/verifiers.md', { as, env: { PHASELINE_AGENTS_DIR: agents } });
  const [, written, tried, cheating, service] = blocks.map(({ output }) => output);
  expect(written).toMatch(/^The agent repairer is valid\.\n[^]*^unit +unit +tap +node --test/m);
  expect(tried).toMatch(
    /^unit: failed\n1 of 1 tests failed: adds\.\n[^]*^unit: passed\n1 test passed\.\nTests: 1 ran, 1 passed, 0 failed, 0 skipped$/m,
  );
  expect(cheating).toMatch(
    /^unit: failed\n1 of 1 tests failed: adds\.\n[^]*Put back as they were when the work began:\n {2}test\/add\.test\.js$/,
  );
  expect(service).toMatch(/^service: passed\n1 test passed\./);
});
