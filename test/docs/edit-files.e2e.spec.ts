import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
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

it.each(findReaders('editing files'))(
  'the page of editing files can be followed as %s',
  { timeout: 800_000 },
  async (as) => {
    const blocks = await followPage('docs/how-to/edit-files.md', { as, env: { PHASELINE_AGENTS_DIR: agents } });
    const [, listed, changed, refused, recorded] = blocks.map(({ output }) => output);
    expect(listed).toContain('documents/wall.md');
    expect(changed).toMatch(/The wall is 3 metres high\.$/);
    // Standard error, which says what the file is now, is not part of the output.
    expect(refused).toBe('The exit code is 4.');
    const edits = recorded!.split('\n').map((line) => JSON.parse(line) as { data: Record<string, unknown> });
    expect(edits.map(({ data }) => data)).toMatchObject([
      { path: 'documents/wall.md', file: { size: 27 }, reason: 'the height was wrong' },
      { path: 'documents/old.md', reason: 'outdated' },
    ]);
    // Who uses a system on this machine without keys is known by the name in the operating system.
    const name = as === 'ordinary user' && userInfo().uid === 0 ? /^reader-/ : new RegExp(`^${userInfo().username}$`);
    for (const { data } of edits) expect(data['actor']).toMatch(name);
  },
);
