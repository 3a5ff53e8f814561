import { readFile } from 'node:fs/promises';
import {
  describeWaiter,
  findWaiter,
  workflowSchema,
  type AgentDefinition,
  type ControlRequest,
  type Workflow,
} from '@phaseline/domain';
import { memoryPack } from '@phaseline/inline-packs';
import { load } from 'js-yaml';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  Engine,
  call,
  COMPLETE_JOB,
  doPlanningTodo,
  DO_THE_TODO,
  PLAN_ONE_TODO,
  parsePrompt,
  MemoryLog,
  type Policy,
} from '@phaseline/harness';

let workflow: Workflow;
beforeAll(async () => {
  const file = new URL('../../../workflows/phase-alternation.yaml', import.meta.url);
  workflow = workflowSchema.parse(load(await readFile(file, 'utf8')));
});

const DAY = 86_400_000;

function engine(policy: Policy, agent: Partial<AgentDefinition> = {}, retries = 0): Engine {
  return new Engine({ store: new MemoryLog(Date.now), policy, workflow, packs: [memoryPack], agent, retries });
}

async function readEventData(subject: Engine, jobId: string, phase: number, type: string) {
  return (await subject.phaseEvents(jobId, phase)).filter((event) => event.type === type).map(({ data }) => data);
}

const requestControl = (subject: Engine, jobId: string, request: object) =>
  subject.driver.control(jobId, { actor: 'ada', reason: '', ...request } as ControlRequest);

/** Policy that plans one todo and completes the job; `work` answers in tactical phases. */
function workingPolicy(work: Policy): Policy {
  return (request, signal) => {
    const { phase, kind } = parsePrompt(request);
    if (kind === 'tactical') return work(request, signal);
    const open = /Progress: (\d+) of (\d+) done/.exec(request.messages[1]?.content ?? '');
    if (open && Number(open[2]) - Number(open[1]) > 1) return doPlanningTodo(request);
    return phase === 1 ? PLAN_ONE_TODO : COMPLETE_JOB;
  };
}

describe('a stuck phase', () => {
  it('is nudged with the evidence and continues once the agent changes its approach', async () => {
    let seenNotice = '';
    const subject = engine(
      workingPolicy(({ messages }) => {
        const notice = messages.find(
          ({ role, content }) => role !== 'assistant' && content.includes('not making progress'),
        );
        seenNotice = notice?.content ?? seenNotice;
        return notice ? DO_THE_TODO : call('list_files');
      }),
    );
    const jobId = await subject.submitAndRun();
    expect((await subject.loadJob(jobId)).status).toBe('completed');
    expect(seenNotice).toMatch(
      /the same call of list_files, 4 times, with the same result.*open todo is 1: Do the thing.*todo_rewind/,
    );
    expect(await readEventData(subject, jobId, 2, 'StuckDetected')).toMatchObject([
      { pattern: 'same-call', rung: 'nudge', steps: { from: 1, to: 4 } },
    ]);
  });

  it('is rewound if it stays stuck, and the next phase is told the reason', async () => {
    const prompts: string[] = [];
    const subject = engine((request, signal) => {
      const { phase, turn } = parsePrompt(request);
      if (phase === 3 && turn === 0) prompts.push(request.messages[0]!.content);
      return workingPolicy(() => call('list_files'))(request, signal);
    });
    const jobId = await subject.submit();
    await subject.run(jobId, { messages: 6 });
    expect(await readEventData(subject, jobId, 2, 'StuckDetected')).toMatchObject([
      { rung: 'nudge' },
      { rung: 'rewind' },
    ]);
    expect(await readEventData(subject, jobId, 2, 'TodosRewound')).toMatchObject([{ pattern: 'same-call' }]);
    expect((await subject.loadPhase(jobId, 2)).end).toMatchObject({
      kind: 'completed',
      outcome: 'rewound',
    });
    expect((await subject.loadPhase(jobId, 3)).start.workspace.tree).toHaveProperty('archive/phase_002.md');
    expect(prompts[0]).toMatch(/made no progress in phase 2.*even after a nudge.*list_files/);
  });

  it('fails with a reason if there is no list to rewind, and its job waits for a person', async () => {
    const subject = engine(() => call('list_files'), {}, 1);
    const jobId = await subject.submitAndRun();
    expect(await readEventData(subject, jobId, 1, 'StuckDetected')).toMatchObject([
      { rung: 'nudge' },
      { rung: 'fail' },
    ]);
    expect(await readEventData(subject, jobId, 1, 'PhaseFailed')).toMatchObject([
      {
        code: 'stuck',
        retryable: true,
        message: expect.stringMatching(
          /^the agent made no progress in phase 1 \(.+\), even after a nudge: the same call of list_files/,
        ),
      },
    ]);
    // The second attempt fails as well, and there is no further automatic attempt.
    const job = await subject.loadJob(jobId);
    expect(job).toMatchObject({ status: 'paused', phases: 2 });
    const waiter = findWaiter(job, undefined)!;
    expect(describeWaiter(waiter)).toMatch(
      /a person to resume it: stuck detection paused it at .*phase 2 .* failed after 2 attempts: the agent made no progress/,
    );
  });

  it('continues with the message of a person, from its todos and files', async () => {
    const received: string[] = [];
    const subject = engine((request, signal) => {
      const said = request.messages.find(({ content }) => content.includes('Message from ada'));
      if (said) received.push(said.content);
      return received.length > 0 ? workingPolicy(() => DO_THE_TODO)(request, signal) : call('list_files');
    });
    const jobId = await subject.submitAndRun();
    expect(
      await requestControl(subject, jobId, { action: 'steer', message: 'There are no files; just plan.' }),
    ).toEqual({
      kind: 'recorded',
    });
    expect(await requestControl(subject, jobId, { action: 'resume' })).toEqual({ kind: 'recorded' });
    await subject.run(jobId);
    // Only the first phase receives the message; later phases do not see it.
    expect(received[0]).toContain('There are no files; just plan.');
    expect((await subject.loadPhase(jobId, 2)).start.identity).toMatchObject({ attempt: 1, state: 'plan' });
    const job = await subject.loadJob(jobId);
    expect(job.timers).toEqual({});
    expect(job.status).not.toBe('paused');
  });

  it('can be retried with other budgets or cancelled while it waits', async () => {
    const stuck = async (): Promise<[Engine, string]> => {
      const subject = engine(() => call('list_files'));
      const jobId = await subject.submitAndRun();
      return [subject, jobId];
    };
    const [one, first] = await stuck();
    expect(await requestControl(one, first, { action: 'retry', budgets: { maxPhases: 2 } })).toEqual({
      kind: 'recorded',
    });
    await one.run(first);
    // It became stuck again and waits again.
    expect(await one.repository.loadJob(first)).toMatchObject({
      status: 'paused',
      phases: 2,
      budgets: { maxPhases: 2 },
    });
    const [other, second] = await stuck();
    expect(await requestControl(other, second, { action: 'cancel' })).toEqual({ kind: 'recorded' });
    expect((await other.loadJob(second)).status).toBe('cancelled');
  });

  it('fails if no person responds in time', async () => {
    const subject = engine(() => call('list_files'));
    const jobId = await subject.submitAndRun();
    await subject.driver.advance(jobId);
    expect((await subject.loadJob(jobId)).status).toBe('paused');
    subject.advanceTime(DAY + 1_000);
    await subject.driver.advance(jobId);
    const job = await subject.loadJob(jobId);
    expect(job).toMatchObject({ status: 'failed', failure: { code: 'stuck' } });
    expect(job.failure!.message).toMatch(/made no progress.*paused for a person until .* and was not resumed/);
    expect(await requestControl(subject, jobId, { action: 'retry' })).toEqual({ kind: 'recorded' });
    await subject.run(jobId);
    expect((await subject.loadJob(jobId)).phases).toBe(2);
  });

  it('fails immediately if that is the only rung, and is not interrupted if detection is disabled', async () => {
    const settings = {
      enabled: true,
      sameCall: 4,
      cycleRounds: 3,
      noNews: 6,
      errors: 6,
      monologue: 3,
      noProgress: 60,
      waitingSteps: 40,
      personTimeoutMs: DAY,
    };
    const strict = engine(() => call('list_files'), { stuck: { ...settings, rungs: ['fail'] } });
    const first = await strict.submit();
    await strict.run(first);
    expect(await strict.repository.loadJob(first)).toMatchObject({ status: 'failed', failure: { code: 'stuck' } });
    const off = engine(() => call('list_files'), {
      stuck: { ...settings, enabled: false, rungs: ['fail'] },
      limits: { steps: 30 } as never,
    });
    const second = await off.submit();
    await off.run(second);
    expect(await off.repository.loadJob(second)).toMatchObject({ status: 'failed', failure: { code: 'step_limit' } });
  });

  it('receives the message of a person before any rung is taken', async () => {
    let jobId = '';
    let asked = 0;
    const subject: Engine = engine(async (request, signal) => {
      asked += 1;
      if (asked === 4)
        expect(await requestControl(subject, jobId, { action: 'steer', message: 'Plan now.' })).toEqual({
          kind: 'recorded',
        });
      return asked > 5 ? workingPolicy(() => DO_THE_TODO)(request, signal) : call('list_files');
    });
    jobId = await subject.submit();
    await subject.run(jobId);
    expect(await readEventData(subject, jobId, 1, 'StuckDetected')).toEqual([]);
  });
});
