import { randomUUID } from 'node:crypto';
import { getActorName, type JobId, type RepositoryOutputKind, type Sender } from '@phaseline/contracts';
import { listOpenOutputs, listRepositoryMessages, type JobEvent, type JobState } from '@phaseline/domain';
import { WrongExpectedVersion, type EventLog } from '@phaseline/event-store';
import { buildJobAppend, type EventOrigin, type JobRepository } from '@phaseline/repository';

/** A request for the changes that a job made to its repository. */
export interface OutputRequest {
  readonly kind: RepositoryOutputKind;
  readonly branch?: string | undefined;
  readonly base?: string | undefined;
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  /** Makes the output although its files are not accepted, and marks it. */
  readonly draft?: boolean | undefined;
}

export type OutputRequestOutcome =
  | { readonly kind: 'no-such-job' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'requested'; readonly output: string; readonly created: boolean };

export interface OutputRequestParts {
  readonly store: EventLog;
  readonly repository: JobRepository;
  readonly sender: Sender;
}

/**
 * Records the request for an output of a job, also of an ended one, and sends it to the tool-runner. An equal request that is still open
 * is sent again and returned instead, so that a repetition makes no second branch.
 */
export async function requestOutput(
  { store, repository, sender }: OutputRequestParts,
  jobId: JobId,
  request: OutputRequest,
  origin: EventOrigin,
): Promise<OutputRequestOutcome> {
  for (;;) {
    const job = await repository.loadJob(jobId);
    if (!job) return { kind: 'no-such-job' };
    if (job.erased) return { kind: 'refused', reason: 'the content of the job was erased' };
    if (job.filesRemoved)
      return {
        kind: 'refused',
        reason: `the files of the job were removed by retention on ${job.filesRemoved.removedAt}`,
      };
    if (!job.submitted.repository) return { kind: 'refused', reason: 'the job has no repository' };
    if (!job.repository?.imported) return { kind: 'refused', reason: 'the repository of the job is not imported' };
    const same = listOpenOutputs(job).find(
      ({ request: open }) =>
        open.kind === request.kind &&
        open.branch === request.branch &&
        open.base === request.base &&
        (open.draft ?? false) === (request.draft ?? false),
    );
    if (same) {
      // The first message may be lost, and the reconciler lists no ended jobs.
      await sendOpenWork(sender, job);
      return { kind: 'requested', output: same.request.output, created: false };
    }
    const output = randomUUID();
    const optional = { branch: request.branch, base: request.base, title: request.title, body: request.body };
    const given = Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined));
    const event: JobEvent = {
      type: 'RepositoryOutputRequested',
      data: {
        output,
        kind: request.kind,
        actor: getActorName(origin.actor),
        ...given,
        ...(request.draft ? { draft: true } : {}),
      },
    };
    try {
      await store.append(buildJobAppend(jobId, job.version, [event], origin));
    } catch (error) {
      if (error instanceof WrongExpectedVersion) continue;
      throw error;
    }
    const requested = await repository.loadJob(jobId);
    if (requested) await sendOpenWork(sender, requested);
    return { kind: 'requested', output, created: true };
  }
}

async function sendOpenWork(sender: Sender, job: JobState): Promise<void> {
  for (const { queue, payload } of listRepositoryMessages(job)) await sender.send(queue, payload);
}
