import { getAdmittedCall } from '@phaseline/domain';
import { defineRemoteTool } from '@phaseline/tools';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { requestControl } from './control.fixture.js';
import type { Policy } from './engine.js';
import { toolsWith } from './fork.fixture.js';
import { call, createThreePhasePolicy } from './scripts.js';
import { useEngines } from './use-store.fixture.js';

const { engine } = useEngines();

const CALL = { callId: 'call_2_1_1' };

/** A job whose second phase sends to 10 people, which a person has to approve. */
async function sendingJob() {
  const runs: number[] = [];
  const received: string[] = [];
  const send = defineRemoteTool({
    name: 'send',
    description: '',
    effect: 'pure',
    timeoutMs: 5_000,
    input: z.object({ people: z.int().max(100) }),
    run: async (_context, { people }) => {
      runs.push(people);
      return { content: `sent to ${people}` };
    },
  });
  const policy = createThreePhasePolicy([call('send', { people: 10 })]);
  const recording: Policy = (request, signal) => {
    received.push(request.messages.at(-1)!.content);
    return policy(request, signal);
  };
  const subject = engine(recording, {
    packs: [{ name: 'post', tools: [send] }],
    agent: { tools: toolsWith('send'), approvals: { tools: ['send'], expireAfterMs: 60_000 } },
  });
  const jobId = await subject.submitAndRun();
  return { subject, jobId, runs, received };
}

describe('an approval', () => {
  it('does not apply to other arguments than those that the person saw', async () => {
    const { subject, jobId, runs } = await sendingJob();
    const other = { action: 'approve', ...CALL, argumentsHash: 'b'.repeat(64) };
    expect(await requestControl(subject, jobId, other)).toMatchObject({ kind: 'refused', code: 'version_mismatch' });
    await subject.run(jobId);
    expect(runs).toEqual([]);
  });

  it('is used once, and names who gave it', async () => {
    const { subject, jobId, runs } = await sendingJob();
    expect(await requestControl(subject, jobId, { action: 'approve', ...CALL })).toEqual({ kind: 'recorded' });
    const again = { action: 'refuse', ...CALL, reason: 'no' };
    expect(await requestControl(subject, jobId, again)).toMatchObject({ kind: 'refused', code: 'already_decided' });
    expect(await requestControl(subject, jobId, { action: 'approve', ...CALL })).toMatchObject({
      kind: 'refused',
      code: 'already_decided',
      reason: expect.stringContaining('already approved by ada'),
    });
    await subject.run(jobId);
    expect(runs).toEqual([10]);
    // The phase has forgotten the call; the log has not.
    expect((await subject.loadJob(jobId)).status).toBe('completed');
    expect(await requestControl(subject, jobId, { action: 'approve', ...CALL })).toMatchObject({
      code: 'already_decided',
      reason: expect.stringContaining('already approved by ada'),
    });
  });

  it('is refused once it has expired, even before the timer has fired', async () => {
    const { subject, jobId, runs } = await sendingJob();
    subject.advanceTime(60_001);
    expect(await requestControl(subject, jobId, { action: 'approve', ...CALL })).toMatchObject({
      kind: 'refused',
      code: 'deadline_passed',
    });
    await subject.run(jobId);
    expect(runs).toEqual([]);
    expect((await subject.loadJob(jobId)).status).toBe('completed');
    expect(await requestControl(subject, jobId, { action: 'approve', ...CALL })).toMatchObject({
      code: 'deadline_passed',
      reason: expect.stringContaining('expired'),
    });
  });

  it('runs the call with the arguments that the person gave, and the model reads them', async () => {
    const { subject, jobId, runs, received } = await sendingJob();
    const request = { action: 'approve', ...CALL, amended: { people: 3 } };
    expect(await requestControl(subject, jobId, request)).toEqual({ kind: 'recorded' });
    const { arguments: args } = getAdmittedCall((await subject.loadPhase(jobId, 2)).calls, CALL.callId);
    expect(args).toEqual({ people: 3 });
    await subject.run(jobId);
    expect(runs).toEqual([3]);
    expect(received).toContain('sent to 3\n[ada approved this call with other arguments: {"people":3}]');
    expect((await subject.eventTypes(jobId, 2)).filter((type) => /Approval|Amended/.test(type))).toEqual([
      'ApprovalRequested',
      'ToolCallAmended',
      'ApprovalGranted',
    ]);
  });

  it.each([{ people: 1_000 }, {}, { people: 1, secretly: true }])(
    'refuses the arguments %j, which the tool does not accept',
    async (amended) => {
      const { subject, jobId, runs } = await sendingJob();
      expect(await requestControl(subject, jobId, { action: 'approve', ...CALL, amended })).toMatchObject({
        kind: 'refused',
        code: 'invalid_arguments',
      });
      await subject.run(jobId);
      expect(runs).toEqual([]);
    },
  );
});
