import { getAdmittedCall } from '@phaseline/domain';
import { describe, expect, it } from 'vitest';
import { ToolError } from '@phaseline/contracts';
import { ToolRegistry, type InlineTool, type InlineToolOutcome } from '@phaseline/tools';
import { z } from 'zod';
import { buildRequested, foldStartedPhase, noBlobs } from '../phase-started.fixture.js';
import { liveSource } from '../source/live-source.js';
import { PendingCommit } from '../step/pending-commit.js';
import { runInlineCall } from './run-inline-call.js';

const file = (path: string) => ({ path, content: new TextEncoder().encode('text') });

/** Runs a call of the tool `work` and returns the events of the commit. */
async function run(outcome: () => InlineToolOutcome, { name = 'work', args = {} } = {}) {
  const work: InlineTool = {
    name: 'work',
    lane: 'inline',
    description: '',
    input: z.object({ n: z.int().default(1) }),
    result: z.strictObject({ lines: z.int() }),
    run: async () => outcome(),
  };
  const state = foldStartedPhase({}, buildRequested(name, args));
  const commit = new PendingCommit(state, noBlobs, new Date(0));
  await runInlineCall(commit, getAdmittedCall(state.calls, 'c'), {
    source: liveSource,
    tools: new ToolRegistry([{ name: 'p', tools: [work] }]),
    clock: { now: () => new Date(0) },
  });
  return commit;
}

describe('an inline call', () => {
  it('is recorded with its files, before its end', async () => {
    const { events, blobs } = await run(() => ({ content: 'done', files: [file('a.md')] }));
    expect(events).toMatchObject([
      { type: 'FileWritten', data: { path: 'a.md', callId: 'c' } },
      { type: 'ToolCallCompleted', data: { content: 'done', attempts: 1 } },
    ]);
    expect(blobs).toHaveLength(1);
  });

  it('records the structured result of success and failure', async () => {
    const result = { lines: 2 };
    const done = await run(() => ({ content: 'done', result }));
    expect(done.events).toMatchObject([{ type: 'ToolCallCompleted', data: { content: 'done', result } }]);
    const failed = await run(() => {
      throw new ToolError('broken', 'm', { result });
    });
    expect(failed.events).toMatchObject([{ type: 'ToolCallFailed', data: { code: 'broken', result } }]);
    const unfit = await run(() => ({ content: 'done', result: { lines: 'many' } }));
    expect(unfit.events).toMatchObject([{ type: 'ToolCallFailed', data: { code: 'invalid_result' } }]);
  });

  it.each([
    ['unknown_tool', { name: 'other' }],
    ['bad_arguments', { args: { n: 'many' } }],
  ])('fails with %s and runs nothing', async (code, call) => {
    const { events } = await run(() => expect.fail('it ran'), call);
    expect(events).toMatchObject([{ type: 'ToolCallFailed', data: { code } }]);
  });

  it('changes no file when one of its files cannot be written', async () => {
    const { events, blobs } = await run(() => ({ content: 'done', files: [file('a.md'), file('../b.md')] }));
    expect(events).toMatchObject([{ type: 'ToolCallFailed' }]);
    expect(blobs).toEqual([]);
  });

  it('stores a long error as a file, like a long result', async () => {
    const { events } = await run(() => {
      throw new ToolError('broken', 'x'.repeat(20_000));
    });
    expect(events.map(({ type }) => type)).toEqual(['FileWritten', 'ToolCallFailed']);
  });

  it('throws a defect of the tool, so that the message is delivered again', async () => {
    await expect(run(() => Promise.reject(new Error('bug')) as never)).rejects.toThrow('bug');
  });
});
