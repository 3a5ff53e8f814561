import { backtestMessageSchema, whatIfRequestSchema, type BacktestMessage } from '@phaseline/contracts';
import { createPool } from '@phaseline/event-store';
import { call, createThreePhasePolicy, Engine, openStore } from '@phaseline/harness';
import { expect, it, onTestFinished } from 'vitest';
import { backtest } from './backtest.js';

it('tries a guard on a job in PostgreSQL, and appends nothing', async () => {
  const opened = await openStore();
  const pool = createPool(opened.url, { max: 2 });
  onTestFinished(async () => {
    await pool.end();
    await opened.close();
  });
  const policy = createThreePhasePolicy([call('write_file', { path: 'output/a.md', content: 'x'.repeat(1_000) })]);
  const jobId = await new Engine({ store: opened.store, policy }).submitAndRun();
  const before = await opened.store.readCorrelation(jobId);
  const guard = {
    ...{ name: 'tested', version: '0'.repeat(64), scope: 'agent', kind: 'rule', stage: 'production', owner: 'spec' },
    ...{ points: ['PreToolUse'], onFailure: 'deny', body: { when: { tool: 'write_file' }, then: { deny: 'no' } } },
  };
  const request = whatIfRequestSchema.parse({ kind: 'backtest', guard, job: jobId, limit: 1 });
  if (request.kind !== 'backtest') throw new Error('the request was taken for another one');
  const messages: BacktestMessage[] = [];
  for await (const message of backtest(pool, opened.store, request))
    messages.push(backtestMessageSchema.parse(JSON.parse(JSON.stringify(message))));
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
  expect(await opened.store.readCorrelation(jobId)).toHaveLength(before.length);
});
