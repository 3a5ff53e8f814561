import { getAdmittedCall } from '@phaseline/domain';
import { createPool } from '@phaseline/event-store';
import { peoplePack } from '@phaseline/inline-packs';
import { PostgresAdmission, type Admission, type AdmissionSettings, type JobRequest } from '@phaseline/orchestration';
import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { hashArgumentsOf } from './control.fixture.js';
import { Engine, type EngineOptions, type Policy } from './engine.js';
import { toolsWith } from './fork.fixture.js';
import { offerTool } from './offer-tool.js';
import { openStore, type OpenStore } from './open-store.js';
import { recordCalls } from './record-calls.fixture.js';
import { call, createThreePhasePolicy, parsePrompt } from './scripts.js';

let opened: OpenStore;
let pool: Pool;

// A separate log per test: phases left running would be counted in the next one.
beforeEach(async () => {
  opened = await openStore();
  pool = createPool(opened.url, { max: 4 });
});
afterEach(async () => {
  await pool.end();
  await opened.close();
});

const createAdmission = (settings: AdmissionSettings): PostgresAdmission => new PostgresAdmission(pool, { settings });
const quickPolicy = createThreePhasePolicy();

interface Subject extends Engine {
  readonly keeper: Admission;
  submitAll(count: number, request?: Partial<JobRequest>): Promise<string[]>;
  /** Delivers the messages of all jobs until none is left. Returns the maximum number of phases that ran at the same time. */
  work(until?: () => boolean): Promise<number>;
  statuses(jobIds: readonly string[]): Promise<string[]>;
  /** Returns the given jobs that have a running phase. */
  running(jobIds: readonly string[]): Promise<string[]>;
  reconcile(passes?: number): Promise<void>;
}

function engine(keeper: Admission, policy: Policy = quickPolicy, options: Partial<EngineOptions> = {}): Subject {
  const subject = new Engine({ store: opened.store, policy, admission: keeper, ...options });
  const known: string[] = [];
  const running = async (jobIds: readonly string[]): Promise<string[]> => {
    const found: string[] = [];
    for (const jobId of jobIds) {
      const { active } = await subject.loadJob(jobId);
      const phase = active && (await subject.loadPhase(jobId, active.phase));
      if (phase && !phase.end && !phase.paused) found.push(jobId);
    }
    return found;
  };
  return Object.assign(subject, {
    keeper,
    submitAll: async (count: number, request: Partial<JobRequest> = {}) => {
      const jobIds: string[] = [];
      for (let job = 0; job < count; job += 1) jobIds.push(await subject.submit(request));
      for (const jobId of jobIds) await subject.driver.advance(jobId);
      known.push(...jobIds);
      return jobIds;
    },
    work: async (until: () => boolean = () => false) => {
      const [worker, runner] = [subject.worker(), subject.toolRunner()];
      let maxRunning = 0;
      while (subject.messages.length > 0 && !until()) {
        const message = subject.messages.shift()!;
        await subject.deliver(message, worker, runner);
        await subject.driver.advance(message.payload.jobId);
        maxRunning = Math.max(maxRunning, (await running(known)).length);
      }
      return maxRunning;
    },
    statuses: async (jobIds: readonly string[]) =>
      Promise.all(jobIds.map(async (jobId) => (await subject.loadJob(jobId)).status)),
    running,
    reconcile: async (passes = 2) => {
      for (let pass = 0; pass < passes; pass += 1)
        await subject.reconciler.runPass((stream, error) => {
          throw new Error(`the reconciler failed on ${stream}`, { cause: error });
        });
    },
  });
}

describe('jobs that need slots', () => {
  it('all complete, never run more phases than the limit allows, and leave no slots behind', async () => {
    const subject = engine(createAdmission({ window: 100, tenantLimit: 2 }));
    const jobIds = await subject.submitAll(6, { tenant: 'acme' });
    expect(await subject.running(jobIds)).toHaveLength(2);
    expect(await subject.work()).toBe(2);
    expect(await subject.statuses(jobIds)).toEqual(jobIds.map(() => 'completed'));
    expect(await subject.keeper.listSlots()).toEqual([]);
  });

  it('pass their slot on when they are cancelled, whether waiting or running', async () => {
    const subject = engine(createAdmission({ window: 1 }));
    const [first, second, third] = await subject.submitAll(3);
    const cancel = (jobId: string) => subject.driver.control(jobId, { action: 'cancel', actor: 'ada', reason: '' });
    await cancel(second!);
    expect(await subject.running([first!, third!])).toEqual([first]);
    await cancel(first!);
    expect(await subject.running([first!, third!])).toEqual([third]);
    await subject.work();
    expect(await subject.statuses([first!, second!, third!])).toEqual(['cancelled', 'cancelled', 'completed']);
    expect(await subject.keeper.listSlots()).toEqual([]);
  });

  it('hold no slot during the backoff before a retry', async () => {
    let down = true;
    const policy: Policy = (request, signal) => {
      if (down) throw new Engine.ModelDown();
      return quickPolicy(request, signal);
    };
    const subject = engine(createAdmission({ window: 1 }), policy, { backoffMs: 60_000, retries: 3 });
    const [first] = await subject.submitAll(1);
    await subject.work();
    expect((await subject.loadJob(first!)).timers).toMatchObject({ 'backoff-1': { kind: 'backoff' } });
    expect(await subject.keeper.listSlots()).toEqual([]);
    down = false;
    subject.advanceTime(61_000);
    await subject.driver.advance(first!);
    await subject.work();
    expect(await subject.statuses([first!])).toEqual(['completed']);
  });

  it('hold no slot while paused, and wait for one after they are resumed', async () => {
    const subject = engine(createAdmission({ window: 1 }));
    const [paused, other] = await subject.submitAll(2);
    const ask = (action: 'pause' | 'resume') =>
      subject.driver.control(paused!, { action, actor: 'ada', reason: 'lunch' });
    await ask('pause');
    expect(await subject.running([paused!, other!])).toEqual([other]);
    await ask('resume');
    expect((await subject.loadPhase(paused!, 1)).paused).toBeDefined();
    await subject.reconcile();
    expect(await subject.running([paused!, other!])).toEqual([other]);
    await subject.work();
    expect(await subject.statuses([paused!, other!])).toEqual(['completed', 'completed']);
    const resumed = (await subject.phaseEvents(paused!, 1)).filter(({ type }) => type === 'PhaseResumed');
    expect(resumed).toMatchObject([{ data: { actor: 'ada' } }]);
  });

  it('hold no slot while they wait for an answer, and take one again after it', async () => {
    const policy = createThreePhasePolicy([call('ask_person', { question: 'Which colour?', deadline: '8h' })]);
    const subject = engine(createAdmission({ window: 1 }), policy, {
      packs: [peoplePack],
      agent: { tools: toolsWith('ask_person') },
    });
    const [waits] = await subject.submitAll(1);
    await subject.work();
    await subject.reconcile();
    expect(await subject.keeper.listSlots()).toEqual([]);
    const { questionHash } = getAdmittedCall((await subject.loadPhase(waits!, 2)).calls, 'call_2_1_1').question!;
    await subject.driver.control(waits!, {
      action: 'answer',
      actor: 'ada',
      callId: 'call_2_1_1',
      questionHash,
      answer: 'green',
    });
    await subject.reconcile(1);
    expect(await subject.keeper.listSlots()).toMatchObject([{ jobId: waits, phase: 2 }]);
    await subject.work();
    expect(await subject.statuses([waits!])).toEqual(['completed']);
  });

  it('hold no slot while they wait for a person, and take one again after the approval', async () => {
    const { packs, agent } = offerTool({
      name: 'fetch',
      effect: 'pure',
      timeoutMs: 5_000,
      input: z.object({}),
      run: async () => ({ content: 'fetched' }),
    });
    const subject = engine(createAdmission({ window: 1 }), createThreePhasePolicy([call('fetch')]), {
      packs,
      agent: { ...agent, approvals: { tools: ['fetch'], expireAfterMs: 10_000_000 } },
    });
    const [waits] = await subject.submitAll(1);
    await subject.work();
    expect(await subject.keeper.listSlots()).toMatchObject([{ jobId: waits, phase: 2 }]);
    await subject.reconcile();
    expect(await subject.keeper.listSlots()).toEqual([]);
    const callId = Object.keys((await subject.loadPhase(waits!, 2)).calls.byId)[0]!;
    const argumentsHash = await hashArgumentsOf(subject, waits!, callId);
    await subject.driver.control(waits!, { action: 'approve', actor: 'ada', callId, argumentsHash });
    await subject.reconcile(1);
    expect(await subject.keeper.listSlots()).toMatchObject([{ jobId: waits, phase: 2 }]);
    await subject.work();
    expect(await subject.statuses([waits!])).toEqual(['completed']);
  });
});

describe('a slot is not lost', () => {
  it('when its process dies before the phase is dispatched', async () => {
    const subject = engine(createAdmission({ window: 1 }));
    const jobId = await subject.submit();
    await subject.keeper.requestSlot({ jobId, phase: 1, kind: 'strategic', tenant: 'default', priority: 0 });
    const [waits] = await subject.submitAll(1);
    await subject.reconcile();
    expect(await subject.running([jobId, waits!])).toEqual([jobId]);
    await subject.work();
    expect(await subject.statuses([jobId, waits!])).toEqual(['completed', 'completed']);
  });

  it('when it was granted to a job and the process dies before it advances the job', async () => {
    const subject = engine(createAdmission({ window: 1 }));
    const [first, second] = await subject.submitAll(2);
    expect(await subject.keeper.releaseSlot(first!)).toMatchObject([{ jobId: second }]);
    await subject.reconcile();
    expect(await subject.running([second!])).toEqual([second]);
  });

  it('when its process dies after the job has ended, before the slot is released', async () => {
    const keeper = createAdmission({ window: 100, tenantLimit: 1 });
    const leave = keeper.releaseSlot.bind(keeper);
    let dying = true;
    keeper.releaseSlot = (jobId) => (dying ? Promise.resolve([]) : leave(jobId));
    const subject = engine(keeper);
    const [first, second] = await subject.submitAll(2);
    await subject.work();
    expect(await subject.statuses([first!, second!])).toEqual(['completed', 'submitted']);
    dying = false;
    await subject.reconcile();
    await subject.work();
    expect(await subject.statuses([second!])).toEqual(['completed']);
    expect(await keeper.listSlots()).toEqual([]);
  });

  it('when it is granted to a job that no longer needs one', async () => {
    const subject = engine(createAdmission({ window: 1 }));
    const [first, gone, last] = await subject.submitAll(3);
    // Simulates a job whose end was recorded, but whose place in the queue was not removed.
    await subject.driver.control(gone!, { action: 'cancel', actor: 'ada', reason: '' });
    await pool.query(
      `INSERT INTO phaseline.slots (job_id, phase, kind, tenant, priority, queued_at, requested_at)
       VALUES ($1, 1, 'strategic', 'default', 0, now() - interval '1 day', now())`,
      [gone],
    );
    await subject.work();
    expect(await subject.statuses([first!, last!])).toEqual(['completed', 'completed']);
    expect(await subject.keeper.listSlots()).toEqual([]);
  });

  it('nor granted twice when the whole table is emptied', async () => {
    const subject = engine(createAdmission({ window: 100, tenantLimit: 2 }));
    const jobIds = await subject.submitAll(5);
    const before = await subject.running(jobIds);
    expect(before).toHaveLength(2);
    await pool.query('DELETE FROM phaseline.slots');
    await subject.reconcile(1);
    expect(await subject.running(jobIds)).toEqual(before);
    expect((await subject.keeper.listSlots()).filter(({ grantedAt }) => grantedAt)).toHaveLength(2);
    expect(await subject.keeper.listSlots()).toHaveLength(5);
    expect(await subject.work()).toBe(2);
    expect(await subject.statuses(jobIds)).toEqual(jobIds.map(() => 'completed'));
  });
});

describe('the reconciler', () => {
  it('does not request slots again for jobs that wait for their first one', async () => {
    const keeper = createAdmission({ window: 1 });
    let asks = 0;
    const ask = keeper.requestSlot.bind(keeper);
    keeper.requestSlot = (request) => {
      asks += 1;
      return ask(request);
    };
    const subject = engine(keeper);
    await subject.submitAll(20);
    asks = 0;
    await subject.reconcile(3);
    expect(asks).toBe(0);
  });

  it('grants the slots that a raised limit allows', async () => {
    const keeper = createAdmission({ window: 100, tenantLimit: 1 });
    const subject = engine(keeper);
    const jobIds = await subject.submitAll(4, { tenant: 'acme' });
    expect(await subject.running(jobIds)).toHaveLength(1);
    await pool.query(`INSERT INTO phaseline.tenant_limits (tenant, max_phases, actor) VALUES ('acme', 3, 'ada')`);
    await subject.reconcile(1);
    expect(await subject.running(jobIds)).toHaveLength(3);
  });
});

it('a phase makes one admission request, and none for its steps', async () => {
  const requests: string[] = [];
  const counted = recordCalls(createAdmission({ window: 10 }), (method) => requests.push(method));
  const policy = createThreePhasePolicy((request) =>
    parsePrompt(request).turn < 5 ? call('write_file', { path: 'a.md', content: 'a' }) : call('todo_complete'),
  );
  const subject = engine(counted, policy);
  const [jobId] = await subject.submitAll(1);
  await subject.work();
  expect(await subject.statuses([jobId!])).toEqual(['completed']);
  expect(requests).toEqual(['requestSlot', 'requestSlot', 'requestSlot', 'releaseSlot']);
});
