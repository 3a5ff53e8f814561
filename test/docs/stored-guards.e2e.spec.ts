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

it.each(findReaders('stored guards'))(
  'the page of stored guards can be followed as %s',
  { timeout: 800_000 },
  async (as) => {
    const blocks = await followPage('docs/how-to/stored-guards.md', { as, env: { PHASELINE_AGENTS_DIR: agents } });
    const [people, added, backtested, promoted, overridden, rolledBack] = blocks.map(({ output }) => output);
    expect(people).toMatch(/ada \(person\)[^]*guards:write/);
    expect(added).toMatch(/Version 1 is a draft[^]*exit code is [1-9]/);
    expect(backtested).toMatch(/version 1 is in the stage backtest[^]*0 hits in 0 calls of 0 jobs/);
    expect(promoted).toMatch(
      /is in shadow[^]*is in production[^]*shadow → production \(promoted by ben\): agreed with legal \[new_ability: the first agent/,
    );
    expect(overridden).toMatch(/has no effect until the override expires[^]*JobGuardOverridden.*reviewed-notes/);
    expect(rolledBack).toMatch(
      /No version is in production[^]*production → draft \(rolled back by ben\): asks too often/,
    );
  },
);
