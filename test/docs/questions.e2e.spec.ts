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

it.each(findReaders('questions'))('the page of questions can be followed as %s', { timeout: 800_000 }, async (as) => {
  const blocks = await followPage('docs/how-to/questions.md', { as, env: { PHASELINE_AGENTS_DIR: agents } });
  const [created, asked, answered, again, shown, amended, refused] = blocks.map(({ output }) => output);
  expect(created).not.toContain('warning');
  expect(asked).toMatch(/waiting-for-input[^]*which colour should the result have\?\n +- red\n +- green\n/);
  expect(asked).toMatch(/waits for .*, ends in 1[12] h/);
  expect(answered).toMatch(/continues with the answer\.$/);
  // Standard error, which names the person, is not part of the output.
  expect(again).toBe('The exit code is 4.');
  expect(shown).toMatch(/write_file output\/colour\.md\n[^]*\n +\+The rehearsal model wrote this placeholder/);
  expect(amended).toMatch(/runs the call\.[^]*Green, as agreed\.$/);
  expect(refused).toMatch(/does not run the call\.[^]*ApprovalRefused[^]*not this colour/);
});
