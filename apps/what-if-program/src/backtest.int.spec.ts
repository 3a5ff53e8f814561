import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backtestMessageSchema, whatIfRequestSchema, type BacktestMessage } from '@phaseline/contracts';
import { createPool, type EventStore } from '@phaseline/event-store';
import { call, createThreePhasePolicy, Engine, openStore } from '@phaseline/harness';
import type { Pool } from 'pg';
import { expect, it, onTestFinished, vi } from 'vitest';
import { backtest } from './backtest.js';

async function openLog() {
  const opened = await openStore();
  const pool = createPool(opened.url, { max: 2 });
  onTestFinished(async () => {
    await pool.end();
    await opened.close();
  });
  return { store: opened.store, pool };
}

async function read(pool: Pool, store: EventStore, given: object): Promise<readonly BacktestMessage[]> {
  const request = whatIfRequestSchema.parse({ kind: 'backtest', ...given });
  if (request.kind !== 'backtest') throw new Error('the request was taken for another one');
  const messages: BacktestMessage[] = [];
  for await (const message of backtest(pool, store, request))
    messages.push(backtestMessageSchema.parse(JSON.parse(JSON.stringify(message))));
  return messages;
}

it('tries a guard on a job in PostgreSQL, and appends nothing', async () => {
  const { store, pool } = await openLog();
  const policy = createThreePhasePolicy([call('write_file', { path: 'output/a.md', content: 'x'.repeat(1_000) })]);
  const jobId = await new Engine({ store, policy }).submitAndRun();
  const before = await store.readCorrelation(jobId);
  const guard = {
    ...{ name: 'tested', version: '0'.repeat(64), scope: 'agent', kind: 'rule', stage: 'production', owner: 'spec' },
    ...{ points: ['PreToolUse'], onFailure: 'deny', body: { when: { tool: 'write_file' }, then: { deny: 'no' } } },
  };
  const messages = await read(pool, store, { guard, job: jobId, limit: 1 });
  expect(messages).toMatchObject([
    { kind: 'started', jobs: 1 },
    {
      kind: 'backtested',
      backtest: {
        ...{ jobId, status: 'completed', events: before.length, untested: [], unknown: {} },
        hits: [{ streamId: `phase-${jobId}-2`, tool: 'write_file', decision: 'deny', assessment: 'possibly-wrong' }],
      },
    },
    {
      kind: 'figures',
      figures: { jobs: 1, calls: 1, labelled: 1, hits: 1, possiblyWrong: 1, isComplete: true, examples: [{ jobId }] },
    },
  ]);
  const [, tested] = messages;
  const [hit] = tested?.kind === 'backtested' ? tested.backtest.hits : [];
  // Long arguments are shortened.
  expect(hit!.arguments!.length).toBeLessThan(300);
  expect(await store.readCorrelation(jobId)).toHaveLength(before.length);
});

const hash = (content: string): string => createHash('sha256').update(content).digest('hex');

/** A guard of a set with one script, which is asked before calls of `write_file`. */
function buildCommand(script: string) {
  const handler = {
    ...{ name: 'PreToolUse-1', kind: 'command', point: 'PreToolUse', matcher: 'Write', command: 'sh .claude/guard.sh' },
    ...{ shell: 'sh', onFailure: 'deny', observes: false, timeoutSeconds: 1 },
  };
  const setVersion = hash(JSON.stringify([['guard.sh', hash(script), false]]));
  return {
    guard: {
      ...{ name: 'set.PreToolUse-1', version: '0'.repeat(64), scope: 'agent', kind: 'command', stage: 'draft' },
      ...{ owner: 'spec', points: ['PreToolUse'], onFailure: 'deny', idempotent: true },
      // Secrets are not given to it.
      body: { set: 'set', setVersion, handler, env: {}, network: [], secrets: ['TOKEN'] },
    },
    execution: { files: [{ path: 'guard.sh', content: Buffer.from(script).toString('base64'), isExecutable: false }] },
  };
}

it('runs a command on the files of each recorded call, and removes them afterwards', async () => {
  const { store, pool } = await openLog();
  const folder = await mkdtemp(join(tmpdir(), 'phaseline-what-if-spec-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o711);
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const write = (path: string) => call('write_file', { path, content: 'text' });
  const policy = createThreePhasePolicy([write('output/a.md'), write('output/b.md'), write('slow.md')]);
  const jobId = await new Engine({ store, policy }).submitAndRun();
  const before = await store.readCorrelation(jobId);
  const script = `if grep -q slow.md; then sleep 30; fi\necho "found $(ls output 2>/dev/null | tr '\\n' ' ')$TOKEN" >&2\nexit 2`;
  const [, tested] = await read(pool, store, { ...buildCommand(script), job: jobId, limit: 1 });
  expect(tested).toMatchObject({ kind: 'backtested', backtest: { calls: 3, untested: [], unknown: {} } });
  const hits = tested?.kind === 'backtested' ? tested.backtest.hits : [];
  expect(hits).toMatchObject([
    { tool: 'write_file', decision: 'deny', reason: 'found' },
    { decision: 'deny', reason: 'found a.md' },
    { decision: 'deny', failure: expect.stringContaining('exceeded its') as string },
  ]);
  expect(await readdir(folder)).toEqual([]);
  expect(await store.readCorrelation(jobId)).toHaveLength(before.length);
});

it('asks no command unless it is to be executed', async () => {
  const { store, pool } = await openLog();
  const jobId = await new Engine({ store, policy: createThreePhasePolicy() }).submitAndRun();
  const { guard } = buildCommand('exit 2');
  const [, tested] = await read(pool, store, { guard, job: jobId, limit: 1 });
  expect(tested).toMatchObject({ backtest: { calls: 0, hits: [], untested: ['PreToolUse'] } });
});
