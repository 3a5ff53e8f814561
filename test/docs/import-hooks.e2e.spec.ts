import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { findReaders, followPage } from './follow-page.js';

it.each(findReaders('imported hooks'))(
  'the page of imported hooks can be followed as %s',
  { timeout: 800_000 },
  async (as) => {
    const agents = await mkdtemp(join(tmpdir(), 'phaseline-agents-'));
    onTestFinished(() => rm(agents, { recursive: true, force: true }));
    // The reader may be another user than the one who runs the spec.
    await chmod(agents, 0o777);
    const blocks = await followPage('docs/how-to/import-hooks.md', { as, env: { PHASELINE_AGENTS_DIR: agents } });
    const [checked, imported, decided, tried] = blocks.map(({ output }) => output);
    expect(checked).toMatch(
      /PreToolUse-1 +Write\|Edit +sh \.claude\/hooks\/no-secrets\.sh +10 s +denies when it fails/,
    );
    expect(checked).toContain('Everything can be imported.');
    expect(imported).toMatch(
      /Written to .*writer\/guards\/project with 2 files\.[^]*files\nguard-set\.yaml\n[^]*writer/,
    );
    expect(decided).toMatch(/"project\.PreToolUse-1"[^]*"decision": ?"context"/);
    expect(decided).toContain('Name the source of each statement.');
    expect(tried).toMatch(
      /project\.PreToolUse-1 \(command, version [0-9a-f]{8}\): [1-9]\d* hits? in 1 job[^]*Stops nothing/,
    );
  },
);
