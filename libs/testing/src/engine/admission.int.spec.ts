import { createPool } from '@phaseline/event-store';
import { PostgresAdmission, type Admission, type AdmissionSettings, type JobRequest } from '@phaseline/orchestration';
import { runnerTool } from '@phaseline/tools';
import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Engine, type EngineOptions, type Policy } from './engine.js';
import { openStore, type OpenStore } from './open-store.js';
import { call, threePhases, where } from './scripts.js';

let opened: OpenStore;
let pool: Pool;

// A log for each: what a spec leaves under way would be counted in the next one.
beforeEach(async () => {
  opened = await openStore();
  pool = createPool(opened.url, { max: 4 });
});
afterEach(async () => {
  await pool.end();
  await opened.close();
});

const slots = (settings: AdmissionSettings): PostgresAdmission => new PostgresAdmission(pool, { settings });
const quick = threePhases(() => call('todo_complete'));

interface Subject extends Engine {
  readonly keeper: Admission;
  submitAll(count: number, request?: Partial<JobRequest>): Promise<string[]>;
  /** Delivers what is on its way, of all jobs, until nothing moves. Returns the most phases that were under way at once. */
  work(until?: () => boolean): Promise<number>;
  statuses(jobIds: readonly string[]): Promise<string[]>;
  /** Jobs with a phase under way. */
  running(jobIds: readonly string[]): Promise<string[]>;
  reconcile(passes?: number): Promise<void>;
}

function engine(keeper: Admission, policy: Policy = quick, options: Partial<EngineOptions> = {}): Subject {
  const subject = new Engine({ store: opened.store, policy, admission: keeper, ...options });
  const known: string[] = [];
  const running = async (jobIds: readonly string[]): Promise<string[]> => {
    const found: string[] = [];
    for (const jobId of jobIds) {
      const job = await subject.histories.job(jobId);
      const phase = job?.active && (await subject.histories.phase(jobId, job.active.phase));
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
      let most = 0;
      while (subject.messages.length > 0 && !until()) {
        const message = subject.messages.shift()!;
        await subject.deliver(message, worker, runner);
        await subject.driver.advance(message.payload.jobId);
        most = Math.max(most, (await running(known)).length);
      }
      return most;
    },
    statuses: async (jobIds: readonly string[]) =>
      Promise.all(jobIds.map(async (jobId) => (await subject.histories.job(jobId))!.status)),
    running,
    reconcile: async (passes = 2) => {
      for (let pass = 0; pass < passes; pass += 1)
        await subject.reconciler.pass((stream, error) => {
          throw new Error(`${stream} could not be mended`, { cause: error });
        });
    },
  });
}

describe('jobs that need slots', () => {
  it('all end, with never more phases under way than there is room for, and leave nothing behind', async () => {
    const subject = engine(slots({ window: 100, tenantLimit: 2 }));
    const jobIds = await subject.submitAll(6, { tenant: 'acme' });
    expect(await subject.running(jobIds)).toHaveLength(2);
    expect(await subject.work()).toBe(2);
    expect(await subject.statuses(jobIds)).toEqual(jobIds.map(() => 'completed'));
    expect(await subject.keeper.slots()).toEqual([]);
  });

  it('hand a slot on when they are cancelled, waiting or running', async () => {
    const subject = engine(slots({ window: 1 }));
    const [first, second, third] = await subject.submitAll(3);
    const cancel = (jobId: string) => subject.driver.control(jobId, { action: 'cancel', actor: 'ada', reason: '' });
    await cancel(second!);
    expect(await subject.running([first!, third!])).toEqual([first]);
    await cancel(first!);
    expect(await subject.running([first!, third!])).toEqual([third]);
    await subject.work();
    expect(await subject.statuses([first!, second!, third!])).toEqual(['cancelled', 'cancelled', 'completed']);
    expect(await subject.keeper.slots()).toEqual([]);
  });

  it('hold none while they wait to try again', async () => {
    let down = true;
    const policy: Policy = (request, signal) => {
      if (down) throw new Engine.ModelDown();
      return quick(request, signal);
    };
    const subject = engine(slots({ window: 1 }), policy, { backoffMs: 60_000, retries: 3 });
    const [first] = await subject.submitAll(1);
    await subject.work();
    expect((await subject.histories.job(first!))!.timers).toMatchObject({ 'backoff-1': { kind: 'backoff' } });
    expect(await subject.keeper.slots()).toEqual([]);
    down = false;
    subject.forward(61_000);
    await subject.driver.advance(first!);
    await subject.work();
    expect(await subject.statuses([first!])).toEqual(['completed']);
  });

  it('hold none while they are paused, and wait for one when they go on', async () => {
    const subject = engine(slots({ window: 1 }));
    const [paused, other] = await subject.submitAll(2);
    const ask = (action: 'pause' | 'resume') =>
      subject.driver.control(paused!, { action, actor: 'ada', reason: 'lunch' });
    await ask('pause');
    expect(await subject.running([paused!, other!])).toEqual([other]);
    await ask('resume');
    expect((await subject.histories.phase(paused!, 1))!.paused).toBeDefined();
    await subject.reconcile();
    expect(await subject.running([paused!, other!])).toEqual([other]);
    await subject.work();
    expect(await subject.statuses([paused!, other!])).toEqual(['completed', 'completed']);
    const continued = (await subject.phaseEvents(paused!, 1)).filter(({ type }) => type === 'PhaseContinued');
    expect(continued).toMatchObject([{ data: { actor: 'ada' } }]);
  });

  it('hold none while they wait for a person, and are counted once they move', async () => {
    const fetch = runnerTool({
      name: 'fetch',
      description: '',
      effect: 'pure',
      timeoutMs: 5_000,
      input: z.object({}),
      run: async () => ({ content: 'fetched' }),
    });
    const policy = threePhases((request) => (where(request).turn === 0 ? call('fetch') : call('todo_complete')));
    const subject = engine(slots({ window: 1 }), policy, {
      packs: [{ name: 'fetching', tools: [fetch] }],
      agent: {
        tools: {
          workspace: [],
          strategic: ['todo_write', 'todo_complete', 'job_complete'],
          tactical: ['todo_complete'],
          domain: ['fetch'],
        },
        approvals: { tools: ['fetch'], expireAfterMs: 10_000_000 },
      },
    });
    const [waits] = await subject.submitAll(1);
    await subject.work();
    expect(await subject.keeper.slots()).toMatchObject([{ jobId: waits, phase: 2 }]);
    await subject.reconcile();
    expect(await subject.keeper.slots()).toEqual([]);
    const callId = Object.keys((await subject.histories.phase(waits!, 2))!.calls)[0]!;
    await subject.driver.control(waits!, { action: 'approve', actor: 'ada', callId });
    await subject.reconcile(1);
    expect(await subject.keeper.slots()).toMatchObject([{ jobId: waits, phase: 2 }]);
    await subject.work();
    expect(await subject.statuses([waits!])).toEqual(['completed']);
  });
});

describe('a slot is not lost', () => {
  it('when its process dies before the phase is dispatched', async () => {
    const subject = engine(slots({ window: 1 }));
    const jobId = await subject.submit();
    await subject.keeper.ask({ jobId, phase: 1, kind: 'strategic', tenant: 'default', priority: 0 });
    const [waits] = await subject.submitAll(1);
    await subject.reconcile();
    expect(await subject.running([jobId, waits!])).toEqual([jobId]);
    await subject.work();
    expect(await subject.statuses([jobId, waits!])).toEqual(['completed', 'completed']);
  });

  it('when it was given to a job whose process dies before it is taken further', async () => {
    const subject = engine(slots({ window: 1 }));
    const [first, second] = await subject.submitAll(2);
    expect(await subject.keeper.leave(first!)).toMatchObject([{ jobId: second }]);
    await subject.reconcile();
    expect(await subject.running([second!])).toEqual([second]);
  });

  it('when its process dies after the job has ended, before the slot was given back', async () => {
    const keeper = slots({ window: 100, tenantLimit: 1 });
    const leave = keeper.leave.bind(keeper);
    let dying = true;
    keeper.leave = (jobId) => (dying ? Promise.resolve([]) : leave(jobId));
    const subject = engine(keeper);
    const [first, second] = await subject.submitAll(2);
    await subject.work();
    expect(await subject.statuses([first!, second!])).toEqual(['completed', 'submitted']);
    dying = false;
    await subject.reconcile();
    await subject.work();
    expect(await subject.statuses([second!])).toEqual(['completed']);
    expect(await keeper.slots()).toEqual([]);
  });

  it('when it is given to a job that needs none any more', async () => {
    const subject = engine(slots({ window: 1 }));
    const [first, gone, last] = await subject.submitAll(3);
    // The end of the job was recorded, and its place in the line was not taken out.
    await subject.driver.control(gone!, { action: 'cancel', actor: 'ada', reason: '' });
    await pool.query(
      `INSERT INTO phaseline.slots (job_id, phase, kind, tenant, priority, queued_at, requested_at)
       VALUES ($1, 1, 'strategic', 'default', 0, now() - interval '1 day', now())`,
      [gone],
    );
    await subject.work();
    expect(await subject.statuses([first!, last!])).toEqual(['completed', 'completed']);
    expect(await subject.keeper.slots()).toEqual([]);
  });

  it('nor given out twice when the whole table is emptied', async () => {
    const subject = engine(slots({ window: 100, tenantLimit: 2 }));
    const jobIds = await subject.submitAll(5);
    const before = await subject.running(jobIds);
    expect(before).toHaveLength(2);
    await pool.query('DELETE FROM phaseline.slots');
    await subject.reconcile(1);
    expect(await subject.running(jobIds)).toEqual(before);
    expect((await subject.keeper.slots()).filter(({ grantedAt }) => grantedAt)).toHaveLength(2);
    expect(await subject.keeper.slots()).toHaveLength(5);
    expect(await subject.work()).toBe(2);
    expect(await subject.statuses(jobIds)).toEqual(jobIds.map(() => 'completed'));
  });
});

describe('looking for lost work', () => {
  it('does not ask again for every job that waits for its first slot', async () => {
    const keeper = slots({ window: 1 });
    let asks = 0;
    const ask = keeper.ask.bind(keeper);
    keeper.ask = (request) => {
      asks += 1;
      return ask(request);
    };
    const subject = engine(keeper);
    await subject.submitAll(20);
    asks = 0;
    await subject.reconcile(3);
    expect(asks).toBe(0);
  });

  it('gives out what a raised limit makes room for', async () => {
    const keeper = slots({ window: 100, tenantLimit: 1 });
    const subject = engine(keeper);
    const jobIds = await subject.submitAll(4, { tenant: 'acme' });
    expect(await subject.running(jobIds)).toHaveLength(1);
    await pool.query(`INSERT INTO phaseline.tenant_limits (tenant, max_phases, actor) VALUES ('acme', 3, 'ada')`);
    await subject.reconcile(1);
    expect(await subject.running(jobIds)).toHaveLength(3);
  });
});

it('a phase costs one question, and none for its steps', async () => {
  const keeper = slots({ window: 10 });
  const questions: string[] = [];
  const counted = new Proxy(keeper, {
    get: (target, key) => {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        questions.push(String(key));
        return (member as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  const policy = threePhases((request) =>
    where(request).turn < 5 ? call('write_file', { path: 'a.md', content: 'a' }) : call('todo_complete'),
  );
  const subject = engine(counted, policy);
  const [jobId] = await subject.submitAll(1);
  await subject.work();
  expect(await subject.statuses([jobId!])).toEqual(['completed']);
  expect(questions).toEqual(['ask', 'ask', 'ask', 'leave']);
});
