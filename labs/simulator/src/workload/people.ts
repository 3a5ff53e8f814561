import { createRequestActor, type JobId } from '@phaseline/contracts';
import { dueWork, hasJobEnded, type ControlRequest } from '@phaseline/domain';
import { hashArguments, submitJob } from '@phaseline/orchestration';
import type { Roll } from '@phaseline/harness';
import { editFiles } from './editors.js';
import type { SimJob } from './jobs.js';
import { MAX_TRIES, requestUntilAnswered, wait, type People } from './requests.js';

/** A job as its submitter knows it. */
export interface TrackedJob {
  readonly job: SimJob;
  /** Set once the submission was confirmed. */
  jobId?: JobId;
  /** Whether its person resumes it after a pause. If not, it may stay paused at the end. */
  isResumedAfterPause: boolean;
}

const POLL_INTERVAL_MS = 15_000;

/** Submits a job and later sends control requests for it, each repeated until it is answered. */
export async function actForJob(people: People, asked: TrackedJob, roll: Roll): Promise<void> {
  const { site } = people;
  const { agent, tenant, budgets, priority, idempotencyKey, submitAfterMs } = asked.job;
  await wait(site, submitAfterMs);
  const submitted = await requestUntilAnswered(people, (orchestrator) =>
    submitJob(
      { store: orchestrator.log, repository: orchestrator.repository, agents: site.agents, clock: orchestrator.clock },
      { agent, tenant, budgets, priority, idempotencyKey },
      { actor: createRequestActor(tenant) },
    ),
  );
  if (!submitted) return;
  asked.jobId = submitted.jobId;
  const { jobId } = submitted;
  let requests = 0;
  const ask = async (request: ControlRequest): Promise<void> => {
    const key = { idempotencyKey: `${tenant} ${(requests += 1)}` };
    const outcome = await requestUntilAnswered(people, ({ driver }, isStillWanted) =>
      driver.control(jobId, request, { ...key, isStillWanted }),
    );
    if (outcome) people.onAnswer(request.action, outcome.kind);
  };
  const actor = tenant;
  const approving = asked.job.approvals.length > 0 ? decideApprovals(people, jobId, roll) : undefined;
  const answering = asked.job.asks ? answerQuestions(people, jobId, roll) : undefined;
  const editing = asked.job.isEdited ? editFiles(people, jobId, site.chance.rollFor(`edits of ${agent}`)) : undefined;
  for (let remaining = roll.pick([0, 0, 0, 1, 1, 2, 3]); remaining > 0; remaining -= 1) {
    await wait(site, roll.between(500, 25_000));
    switch (roll.pick(['cancel', 'pause', 'pause', 'steer', 'steer', 'retry', 'retry'] as const)) {
      case 'cancel':
        await ask({ actor, action: 'cancel', reason: 'not wanted any more' });
        break;
      case 'steer':
        // Each message is unique, so that the log must not contain it twice.
        await ask({ actor, action: 'steer', message: `think of ${remaining}` });
        break;
      case 'retry':
        await wait(site, roll.between(0, 40_000));
        await ask({ actor, action: 'retry', reason: 'once more' });
        break;
      case 'pause':
        await ask({ actor, action: 'pause', reason: 'lunch' });
        if (!asked.isResumedAfterPause) return;
        await wait(site, roll.between(100, 20_000));
        await ask({ actor, action: 'resume', reason: 'back' });
    }
  }
  await approving;
  await answering;
  await editing;
  if (asked.isResumedAfterPause)
    await keepResumed(people, jobId, () => ask({ actor, action: 'resume', reason: 'it is paused again' }));
}

/**
 * Resumes the job whenever it is paused, until it ends. A repeated request is recorded once, but it may be recorded late: a pause whose sender
 * has given up can still stop a job that was resumed meanwhile, because these people do not send the position they have seen.
 */
async function keepResumed(people: People, jobId: JobId, resume: () => Promise<void>): Promise<void> {
  for (let checks = 0; checks < MAX_TRIES; checks += 1) {
    const job = await requestUntilAnswered(people, ({ repository }) => repository.loadJob(jobId));
    if (job && hasJobEnded(job)) return;
    if (job?.status === 'paused') await resume();
    await wait(people.site, POLL_INTERVAL_MS);
  }
}

/** Approves or refuses waiting calls now and then; some are left to expire. */
async function decideApprovals(people: People, jobId: JobId, roll: Roll): Promise<void> {
  for (let checks = 0; checks < 40; checks += 1) {
    await wait(people.site, roll.between(1_000, 6_000));
    const waiting = await requestUntilAnswered(people, async ({ repository }) => {
      const job = await repository.loadJob(jobId);
      const phase = job?.active && (await repository.loadPhase(jobId, job.active.phase));
      const due = phase && dueWork(phase);
      return due?.kind === 'approval' ? due.calls : [];
    });
    for (const { callId, arguments: args } of waiting ?? []) {
      if (roll.happens(0.2)) continue;
      const request: ControlRequest = roll.happens(0.7)
        ? { actor: 'judge', action: 'approve', callId, argumentsHash: hashArguments(args) }
        : { actor: 'judge', action: 'refuse', callId, reason: 'too dear' };
      const key = { idempotencyKey: `judge ${callId} ${checks}` };
      const outcome = await requestUntilAnswered(people, ({ driver }, isStillWanted) =>
        driver.control(jobId, request, { ...key, isStillWanted }),
      );
      if (outcome) people.onAnswer(request.action, outcome.kind);
    }
  }
}

/** Answers open questions now and then, some of them twice; the others time out. */
async function answerQuestions(people: People, jobId: JobId, roll: Roll): Promise<void> {
  for (let checks = 0; checks < 40; checks += 1) {
    await wait(people.site, roll.between(1_000, 30_000));
    const waiting = await requestUntilAnswered(people, async ({ repository }) => {
      const job = await repository.loadJob(jobId);
      const phase = job?.active && (await repository.loadPhase(jobId, job.active.phase));
      const due = phase && dueWork(phase);
      return due?.kind === 'question' ? due.calls : [];
    });
    for (const { callId, question } of waiting ?? []) {
      for (let times = roll.pick([0, 1, 1, 2]); times > 0; times -= 1) {
        const { questionHash } = question;
        const request: ControlRequest = { actor: 'sage', action: 'answer', callId, questionHash, answer: 'that' };
        const key = { idempotencyKey: `sage ${callId} ${checks} ${times}` };
        const outcome = await requestUntilAnswered(people, ({ driver }, isStillWanted) =>
          driver.control(jobId, request, { ...key, isStillWanted }),
        );
        if (outcome) people.onAnswer(request.action, outcome.kind);
      }
    }
  }
}
