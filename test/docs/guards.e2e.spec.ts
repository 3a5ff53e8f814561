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

it.each(findReaders('guards'))('the page of guards can be followed as %s', { timeout: 800_000 }, async (as) => {
  const blocks = await followPage('docs/how-to/guards.md', { as, env: { PHASELINE_AGENTS_DIR: agents } });
  const [created, refused, scripted, decided, tested] = blocks.map(({ output }) => output);
  expect(created).not.toContain('warning');
  expect(refused).toMatch(/The exit code is [1-9]/);
  expect(scripted).not.toContain('short-notes');
  expect(decided).toMatch(/"name-the-source"[^]*"decision": ?"context"/);
  expect(decided).toMatch(/"short-notes"[^]*"stage": ?"shadow"[^]*"decision": ?"deny"/);
  expect(decided).toContain('rehearsal model wrote');
  expect(tested).toMatch(
    /^short-notes \(script[^]*Possibly wrong: 1 hit[^]*deny, completed, job completed: 1\n.*@\d+ write_file [^]*writes too much/,
  );
});
