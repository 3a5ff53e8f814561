import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findLocalStack } from '../../apps/cli/src/connection/server-url.js';
import { findReaders, followPage } from './follow-page.js';

it.each(findReaders('prompts'))('the page of prompts can be followed as %s', { timeout: 800_000 }, async (as) => {
  const blocks = await followPage('docs/how-to/inspect-prompts.md', { as });
  const [listed, shown, compared] = blocks.map(({ output }) => output);
  expect(listed).toMatch(/STEP +ATTEMPT[^]*\n +1 +1 +work +rehearsal/);
  expect(shown).toMatch(/You are the agent "creator"[^]*- Phase 2: [^]*ACTIVE TODO LIST/);
  expect(compared).toContain('exact: the hash equals the recorded one');
});

/** Agents of the reader: the Validator starts by itself for what the Creator finds, and a second job would end at a time that no spec knows. */
let agents: string;
beforeAll(async () => {
  agents = await mkdtemp(join(tmpdir(), 'phaseline-agents-'));
  await chmod(agents, 0o755);
  await mkdir(join(agents, 'validator'));
  await writeFile(join(agents, 'validator', 'agent.yaml'), 'extends: validator\nname: validator\nstartWhen: null\n');
});
afterAll(() => rm(agents, { recursive: true, force: true }));

/** Makes all files look older than the time for which new content is kept, as if the reader had waited. */
async function letTimePass(home: string, signal: AbortSignal): Promise<void> {
  const stack = await findLocalStack({ PHASELINE_HOME: home }, home);
  if (!stack) throw new Error(`no system runs in ${home}`);
  const owner = new pg.Client({ connectionString: stack.ownerUrl });
  await owner.connect();
  try {
    while (!signal.aborted) {
      await owner.query(`UPDATE phaseline.blobs SET stored_at = stored_at - interval '3 hours'
        WHERE stored_at > now() - interval '2 hours'`);
      await sleep(500, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await owner.end();
  }
}

it.each(findReaders('retention'))('the page of retention can be followed as %s', { timeout: 800_000 }, async (as) => {
  const blocks = await followPage('docs/how-to/retention.md', {
    as,
    meanwhile: letTimePass,
    env: { PHASELINE_AGENTS_DIR: agents },
  });
  const [set, tried, found, held, removed] = blocks.map(({ output }) => output);
  expect(set).toMatch(
    /default: files are removed 30 days, vectors 7 days, learning traces 180 days after the end of a job[^]*All other tenants keep/,
  );
  expect(tried).toBe('default: files are removed 0 days after the end of a job');
  expect(found).toMatch(/ of default: \d+ files \([^)]+\) would be removed\n\d+ files .* of 1 job would be removed\.$/);
  expect(held).toMatch(/is on hold\.\n[^]*case 4711[^]*files kept, because a legal hold is on it\nNothing to remove\./);
  expect(held).toMatch(/the hold was released\.$/);
  expect(removed).toMatch(/ of default: \d+ files \([^)]+\) removed\n\d+ files .* of 1 job removed\./);
  expect(removed).toMatch(/references? to files: removed by retention/);
});
