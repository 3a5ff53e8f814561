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

it.each(findReaders('learn a guard'))(
  'the page about turning refusals into a guard can be followed as %s',
  { timeout: 800_000 },
  async (as) => {
    const blocks = await followPage('docs/how-to/learn-a-guard.md', { as, env: { PHASELINE_AGENTS_DIR: agents } });
    const [, , proposed, backtested, promoted, rolledBack] = blocks.map(({ output }) => output);
    expect(proposed).toMatch(/person_refused[^]*a draft\.[^]*name: no-reports[^]*agent: reporter\n +tool: write_file/);
    // A job may ask once more before it is cancelled.
    expect(backtested).toMatch(
      /in the stage backtest[^]*([5-9]|10) hits in \d+ calls of 5 jobs, the outcome of 5 is known\n +0 possibly wrong/,
    );
    expect(promoted).toMatch(/is in shadow[^]*is in production[^]*GuardDecided.*no-reports/);
    expect(rolledBack).toMatch(
      /No version is in production[^]*production → draft \(rolled back by ben\): the report of November was wanted[^]*job completed/,
    );
  },
);
