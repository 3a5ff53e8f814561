import { appendFile, cp, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runCli } from '../run-cli.js';
import { openLocalHome } from '@phaseline/local-stack';
import { planStack } from '../stack/stack-plan.js';
import { startStack, type RunningStack } from '../stack/start-stack.js';
import { createFakeHost } from '../testing/fake-streams.js';

let folder: string;
let stack: RunningStack | undefined;
const base: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  HOME: process.env.HOME,
  // Slow enough that the job is still running when the backup is made.
  PHASELINE_REHEARSAL_LATENCY_MS: '300',
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phaseline-backup-'));
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function up(name: string): Promise<NodeJS.ProcessEnv> {
  const env = { ...base, PHASELINE_HOME: join(folder, name) };
  stack = await startStack({
    home: await openLocalHome(env),
    env,
    plan: planStack(env),
    durable: false,
    signal: new AbortController().signal,
  });
  return env;
}

async function cli(args: string, env: NodeJS.ProcessEnv): Promise<{ code: number; out: string; err: string }> {
  const host = createFakeHost({ env, currentDirectory: folder });
  return { code: await runCli(args.split(' '), host), out: host.stdout.text, err: host.stderr.text };
}

it('a backup made while a job runs lets the job continue on another server, and the log verifies', async () => {
  const env = await up('one');
  const submitted = await cli('--json submit creator --document ' + findExampleDocument(), env);
  const { jobId } = JSON.parse(submitted.out) as { jobId: string };
  await expect.poll(() => countEvents(jobId, env), { timeout: 60_000 }).toBeGreaterThan(8);
  const made = await cli('--json backup b', env);
  expect(made).toMatchObject({ code: 0 });
  const { events } = JSON.parse(made.out) as { events: number };
  await stack!.stop();

  const other = { ...base, PHASELINE_HOME: join(folder, 'two') };
  const restored = await cli('--json restore b', other);
  expect(restored, restored.err).toMatchObject({ code: 0 });
  expect(JSON.parse(restored.out)).toMatchObject({ events, audit: { passed: true, events } });
  const third = { ...base, PHASELINE_HOME: join(folder, 'three') };
  const damaged = join(folder, 'damaged');
  await cp(join(folder, 'b'), damaged, { recursive: true });
  await appendFile(join(damaged, 'events.copy.gz'), 'x');
  expect((await cli('restore damaged', third)).err).toContain('Nothing was written; restore from another backup.');
  expect((await cli('restore nothing', third)).err).toContain('Choose another folder.');
  // No database was created for a backup that cannot be restored.
  expect(await stat(join(folder, 'three', 'postgres')).catch(() => 'none')).toBe('none');
  expect(await cli('restore b', other)).toMatchObject({
    code: 4,
    err: expect.stringContaining('The database is not empty'),
  });

  await cp(join(folder, 'one', 'audit-key.pem'), join(folder, 'two', 'audit-key.pem')).catch(() => undefined);
  await up('two');
  await expect
    .poll(async () => (JSON.parse((await cli(`--json status ${jobId}`, other)).out) as { status: string }).status, {
      timeout: 150_000,
      interval: 1_000,
    })
    .toBe('completed');
  expect(await cli('audit verify', other)).toMatchObject({ code: 0 });
}, 300_000);

function findExampleDocument(): string {
  return join(import.meta.dirname, '../../../../test/system/short-document.md');
}

async function countEvents(jobId: string, env: NodeJS.ProcessEnv): Promise<number> {
  const { out } = await cli(`--json events ${jobId}`, env);
  return out.split('\n').filter((line) => line.startsWith('{')).length;
}
