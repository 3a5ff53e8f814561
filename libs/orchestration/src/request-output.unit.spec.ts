import type { JobState } from '@phaseline/domain';
import { foldJob, type JobEvent } from '@phaseline/domain';
import type { StreamAppend } from '@phaseline/event-store';
import { expect, it } from 'vitest';
import { requestOutput, type OutputRequestParts } from './request-output.js';

const JOB_ID = '0190a8f2-7b1e-7c3d-9e4f-5a6b7c8d9e0f';
const origin = { actor: { id: 'ada', kind: 'person' } } as never;

/** A job as its log is folded, with the appends and messages that were made. */
function prepare(change: Partial<JobState> = {}) {
  let job = {
    version: 5,
    status: 'completed',
    submitted: { jobId: JOB_ID, repository: { path: '/r', ref: 'HEAD' } },
    repository: { imported: { commit: 'c' }, outputs: {} },
    ...change,
  } as unknown as JobState;
  const appends: StreamAppend[] = [];
  const messages: object[] = [];
  const parts = {
    repository: { loadJob: async () => job },
    store: {
      append: async (append: StreamAppend) => {
        appends.push(append);
        job = foldJob(
          append.events.map(({ type, data }) => ({ type, data }) as unknown as JobEvent),
          job,
        )!;
      },
    },
    sender: { send: async (_queue: string, payload: object) => void messages.push(payload) },
  } as unknown as OutputRequestParts;
  return { parts, appends, messages };
}

it('records one request for an ended job, and returns it again while it is open', async () => {
  const { parts, appends, messages } = prepare();
  const first = await requestOutput(parts, JOB_ID, { kind: 'branch', branch: 'x' }, origin);
  const again = await requestOutput(parts, JOB_ID, { kind: 'branch', branch: 'x' }, origin);
  expect(first).toMatchObject({ kind: 'requested', created: true });
  expect(again).toEqual({ ...first, created: false });
  expect(appends).toEqual([expect.objectContaining({ reopensStream: true, expectedVersion: 5 })]);
  // The second request sends the message again, because the first one may be lost.
  const message = { jobId: JOB_ID, work: (first as { output: string }).output };
  expect(messages).toEqual([message, message]);
  expect(await requestOutput(parts, JOB_ID, { kind: 'branch', branch: 'y' }, origin)).toMatchObject({ created: true });
});

it('refuses jobs without an imported repository', async () => {
  const submitted = { jobId: JOB_ID } as never;
  for (const change of [{ submitted }, { repository: undefined }, { erased: {} as never }])
    expect(await requestOutput(prepare(change as never).parts, JOB_ID, { kind: 'patch' }, origin)).toMatchObject({
      kind: 'refused',
    });
});
