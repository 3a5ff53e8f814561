import type { ControlRequest } from '@phaseline/domain';
import { dueWork } from '@phaseline/domain';
import { submitJob } from '@phaseline/orchestration';
import type { Orchestrator, Site } from '../process/services.js';
import type { Roll } from '../schedule/chance.js';
import type { SimJob } from './jobs.js';

/** A job as those who asked for it know it. */
export interface Asked {
  readonly job: SimJob;
  /** Set once somebody was told that it was taken. */
  jobId?: string;
  /** Whether somebody paused it for good: then it may wait. */
  resumes: boolean;
}

export interface People {
  readonly site: Site;
  orchestrators(): readonly Orchestrator[];
  /** A request that somebody has got an answer to. */
  onAnswer(action: string, kind: string): void;
}

const PATIENCE_MS = 6_000;
const AGAIN_MS = 1_000;
const LOOK_MS = 15_000;
const MOST_TRIES = 600;

/** Submits a job and later asks for something with it, as often as it takes to get an answer. */
export async function live(people: People, asked: Asked, roll: Roll): Promise<void> {
  const { site } = people;
  const { agent, tenant, budgets, priority, idempotencyKey, submitAfterMs } = asked.job;
  await wait(site, submitAfterMs);
  const submitted = await insist(people, (orchestrator) =>
    submitJob(
      { store: orchestrator.log, histories: orchestrator.histories, agents: site.agents },
      { agent, tenant, budgets, priority, idempotencyKey },
      { actor: tenant },
    ),
  );
  if (!submitted) return;
  asked.jobId = submitted.jobId;
  const { jobId } = submitted;
  let requests = 0;
  const ask = async (request: ControlRequest): Promise<void> => {
    const key = { idempotencyKey: `${tenant} ${(requests += 1)}` };
    const outcome = await insist(people, (orchestrator) => orchestrator.driver.control(jobId, request, key));
    if (outcome) people.onAnswer(request.action, outcome.kind);
  };
  const actor = tenant;
  const approves = asked.job.approvals.length > 0 ? judgeCalls(people, jobId, roll) : undefined;
  for (let wish = roll.pick([0, 0, 0, 1, 1, 2, 3]); wish > 0; wish -= 1) {
    await wait(site, roll.between(500, 25_000));
    switch (roll.pick(['cancel', 'pause', 'pause', 'steer', 'steer', 'retry', 'retry'] as const)) {
      case 'cancel':
        await ask({ actor, action: 'cancel', reason: 'not wanted any more' });
        break;
      case 'steer':
        // Each message is one of a kind: the log must not hold it twice.
        await ask({ actor, action: 'steer', message: `think of ${wish}` });
        break;
      case 'retry':
        await wait(site, roll.between(0, 40_000));
        await ask({ actor, action: 'retry', reason: 'once more' });
        break;
      case 'pause':
        await ask({ actor, action: 'pause', reason: 'lunch' });
        if (!asked.resumes) return;
        await wait(site, roll.between(100, 20_000));
        await ask({ actor, action: 'resume', reason: 'back' });
    }
  }
  await approves;
  if (asked.resumes)
    await lookAfter(people, jobId, () => ask({ actor, action: 'resume', reason: 'it is paused again' }));
}

/**
 * Whoever asks again because no answer came is recorded once, and perhaps late: a pause that was given up can still stop a
 * job that was resumed meanwhile, since these people do not say what they saw. Whoever wants it to go on looks until it ends.
 */
async function lookAfter(people: People, jobId: string, resume: () => Promise<void>): Promise<void> {
  for (let looks = 0; looks < MOST_TRIES; looks += 1) {
    const status = await insist(people, async ({ histories }) => (await histories.job(jobId))?.status);
    if (status === 'completed' || status === 'failed' || status === 'cancelled') return;
    if (status === 'paused') await resume();
    await wait(people.site, LOOK_MS);
  }
}

/** Looks now and then whether a call waits for a word, and gives it. Some calls are left to expire. */
async function judgeCalls(people: People, jobId: string, roll: Roll): Promise<void> {
  for (let looks = 0; looks < 40; looks += 1) {
    await wait(people.site, roll.between(1_000, 6_000));
    const waiting = await insist(people, async ({ histories }) => {
      const job = await histories.job(jobId);
      const phase = job?.active && (await histories.phase(jobId, job.active.phase));
      const due = phase && dueWork(phase);
      return due?.kind === 'approval' ? due.calls.map(({ callId }) => callId) : [];
    });
    for (const callId of waiting ?? []) {
      if (roll.happens(0.2)) continue;
      const request: ControlRequest = roll.happens(0.7)
        ? { actor: 'judge', action: 'approve', callId }
        : { actor: 'judge', action: 'refuse', callId, reason: 'too dear' };
      const key = { idempotencyKey: `judge ${callId} ${looks}` };
      const outcome = await insist(people, ({ driver }) => driver.control(jobId, request, key));
      if (outcome) people.onAnswer(request.action, outcome.kind);
    }
  }
}

/** Asks one orchestrator after the other until one answers. */
async function insist<Answer>(
  { site, orchestrators }: People,
  ask: (orchestrator: Orchestrator) => Promise<Answer>,
): Promise<Answer | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const up = orchestrators().filter(({ host }) => host.takes());
    const orchestrator = up[tries % Math.max(1, up.length)];
    if (orchestrator) {
      const answer = await Promise.race([
        ask(orchestrator).then(
          (value) => ({ value }),
          (error: unknown) => {
            site.onError(orchestrator.host, 'a request', error);
            return undefined;
          },
        ),
        wait(site, PATIENCE_MS).then(() => undefined),
      ]);
      if (answer) return answer.value;
    }
    await wait(site, AGAIN_MS);
  }
  return undefined;
}

function wait(site: Site, ms: number): Promise<void> {
  return new Promise((resolve) => void site.scheduler.after(ms, resolve));
}
