import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AdmittedCall } from '@phaseline/domain';
import { defineRemoteTool, ToolRegistry, type RemoteToolContext } from '@phaseline/tools';
import { ToolError } from '@phaseline/contracts';
import { DatabaseUnreachable } from '@phaseline/event-store';
import { StagedWorkspace } from '@phaseline/workspace';
import { attemptTool } from './attempt-tool.js';

const SECRET = 'the value of a secret';
const limits = { attempts: 3, backoffMs: 1 };

function setUp(
  run: (context: RemoteToolContext) => Promise<{ content: string }>,
  changes: Partial<AdmittedCall> = {},
  totalMs?: number,
) {
  let attempts = 0;
  const tool = defineRemoteTool({
    name: 'work',
    description: '',
    effect: 'idempotent',
    timeoutMs: 30,
    secrets: ['TOKEN'],
    input: z.object({ n: z.int().default(1) }),
    run: (context) => {
      attempts += 1;
      return run(context);
    },
  });
  const call: AdmittedCall = {
    callId: 'c',
    step: 1,
    name: 'work',
    arguments: {},
    lane: 'remote',
    effect: 'idempotent',
    traits: [],
    timeoutMs: 30,
    status: 'requested',
    ...changes,
  };
  const abort = new AbortController();
  const readSecrets = async (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, SECRET]));
  const at = { jobId: 'j', workspace: new StagedWorkspace({}, { get: async () => undefined }), readSecrets };
  return {
    abort,
    attempts: () => attempts,
    result: () =>
      attemptTool(new ToolRegistry([{ name: 'p', tools: [tool] }]), call, at, abort.signal, { ...limits, totalMs }),
  };
}
const busy = () => Promise.reject(new ToolError('busy', 'busy', { retryable: true }));

describe('attemptTool', () => {
  it('retries transient failures and reports the number of attempts', async () => {
    const run = setUp(({ attempt }) => (attempt < 3 ? busy() : Promise.resolve({ content: 'ok' })));
    expect(await run.result()).toMatchObject({ isOk: true, attempts: 3, outcome: { content: 'ok' } });
  });

  it('makes no attempt after the time of all of them, and stops the one that passes it', async () => {
    const late = setUp(busy, {}, 1);
    expect(await late.result()).toMatchObject({ isOk: false, code: 'busy', attempts: 1 });
    const hanging = setUp(() => new Promise<never>(() => undefined), { timeoutMs: 600_000 }, 20);
    expect(await hanging.result()).toMatchObject({ isOk: false, code: 'timeout', attempts: 1 });
  });

  it('gives up after the last attempt, immediately for a permanent failure, and never repeats an effect that must happen once', async () => {
    const passing = setUp(busy);
    expect(await passing.result()).toMatchObject({ isOk: false, code: 'busy', attempts: 3 });
    const staying = setUp(() => Promise.reject(new ToolError('gone', 'gone')));
    expect(await staying.result()).toMatchObject({ isOk: false, code: 'gone', attempts: 1 });
    const once = setUp(busy, { effect: 'once' });
    expect(await once.result()).toMatchObject({ isOk: false, attempts: 1 });
    expect(once.attempts()).toBe(1);
  });

  it('stops a tool that takes too long, even one that ignores its signal', async () => {
    const deaf = setUp(() => new Promise(() => undefined), { effect: 'once' });
    expect(await deaf.result()).toMatchObject({ isOk: false, code: 'outcome_unknown' });
  });

  it('aborts the signal of the tool at its timeout', async () => {
    let wasAborted = false;
    const listening = setUp(
      ({ signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => {
            wasAborted = true;
            reject(new Error('stopped'));
          }),
        ),
      { effect: 'once' },
    );
    await listening.result();
    expect(wasAborted).toBe(true);
  });

  it('throws when the caller aborts it, so that nothing is recorded', async () => {
    const run = setUp(() => sleep(10_000, { content: '' }, { ref: false }), { timeoutMs: 10_000 });
    const result = run.result();
    run.abort.abort(new Error('shutdown'));
    await expect(result).rejects.toThrow('shutdown');
  });

  it('turns a bug in a tool into a result instead of a crash', async () => {
    const run = setUp(() => Promise.reject(new TypeError('x is undefined')));
    expect(await run.result()).toMatchObject({
      isOk: false,
      code: 'tool_crashed',
      message: expect.stringContaining('x is undefined'),
    });
  });

  it('throws when the log cannot be reached, unless the effect must happen once', async () => {
    const outage = () => Promise.reject(new DatabaseUnreachable(new Error('Connection terminated unexpectedly')));
    for (const effect of ['pure', 'idempotent'] as const)
      await expect(setUp(outage, { effect }).result()).rejects.toThrow(DatabaseUnreachable);
    const once = setUp(outage, { effect: 'once' });
    expect(await once.result()).toMatchObject({ isOk: false, code: 'outcome_unknown', attempts: 1 });
  });

  it('refuses a tool that this process does not have', async () => {
    expect(await setUp(busy, { name: 'other' }).result()).toMatchObject({ isOk: false, code: 'unknown_tool' });
  });

  it.each([
    ['it times out', () => sleep(10_000, { content: '' }, { ref: false })],
    ['the tool cannot tell', () => Promise.reject(new ToolError('lost', 'Lost.', { outcomeUnknown: true }))],
    ['the tool breaks', () => Promise.reject(new Error('bug'))],
  ])('the outcome of an effect that must happen once is unknown when %s', async (_, run) => {
    const once = setUp(run, { effect: 'once' });
    expect(await once.result()).toMatchObject({
      isOk: false,
      code: 'outcome_unknown',
      message: expect.stringContaining('before you call it again'),
    });
    const idempotent = await setUp(run).result();
    expect(!idempotent.isOk && idempotent.code).not.toBe('outcome_unknown');
  });

  it('removes secrets from what a tool returns and from its errors, also when it is retried', async () => {
    const returning = setUp(async ({ secrets }) => ({ content: `it is ${await secrets!.get('TOKEN')}` }));
    expect(await returning.result()).toMatchObject({ isOk: true, outcome: { content: 'it is [TOKEN]' } });
    const failing = setUp(async ({ secrets, attempt }) => {
      if (attempt === 1) throw new ToolError('busy', `busy with ${await secrets!.get('TOKEN')}`, { retryable: true });
      throw new Error(`crashed with ${Buffer.from(SECRET).toString('base64')}`);
    });
    const failure = await failing.result();
    expect(failure).toMatchObject({ isOk: false, message: expect.stringContaining('crashed with [TOKEN]') });
    expect(JSON.stringify(failure)).not.toContain(SECRET);
  });
});
