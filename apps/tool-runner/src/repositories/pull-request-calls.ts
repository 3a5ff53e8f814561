import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ToolError, type JobId, type ProcessId, type Sender } from '@phaseline/contracts';
import {
  hasJobEnded,
  isOpenCall,
  listRepositoryMessages,
  type JobEvent,
  type JobState,
  type RepositoryOutput,
} from '@phaseline/domain';
import { WrongExpectedVersion, type EventStore } from '@phaseline/event-store';
import type { OpenedPullRequest, PullRequestCall, RepositoryHost } from '@phaseline/remote-packs';
import { buildJobAppend, type JobRepository } from '@phaseline/repository';

/** Pause between two looks into the log for the outcome. */
const POLL_MS = 250;

export interface PullRequestParts {
  readonly processId: ProcessId;
  readonly store: EventStore;
  readonly repository: JobRepository;
  readonly sender: Sender;
}

/**
 * Opens the pull requests that agents ask for: records the request with the id of the call and waits for its outcome, which the queue
 * `repositories` makes. The output has an id of its own, so a call whose process was killed leaves a request that is completed, and the
 * next call returns its outcome.
 */
export class PullRequestCalls implements RepositoryHost {
  constructor(private readonly parts: PullRequestParts) {}

  async openPullRequest(call: PullRequestCall, signal: AbortSignal): Promise<OpenedPullRequest> {
    await this.refuseOpenCalls(call);
    const output = deriveOutputId(call);
    const { job, requested } = await this.request(call, output);
    for (const { queue, payload } of listRepositoryMessages(job))
      if (payload.work === requested) await this.parts.sender.send(queue, payload);
    const made = await this.awaitOutcome(call.jobId, requested, signal);
    return { ...made, created: requested === output };
  }

  /** A command of the same answer may still change the files that the pull request is made of. */
  private async refuseOpenCalls({ jobId, phase, callId }: PullRequestCall): Promise<void> {
    const state = await this.parts.repository.loadPhase(jobId, phase);
    const other = Object.values(state?.calls.byId ?? {}).find((one) => one.callId !== callId && isOpenCall(one));
    if (other)
      throw new ToolError(
        'calls_open',
        `${other.name} of the same answer has not ended yet, and its changes would be missing. Call open_pull_request alone.`,
      );
  }

  /** Returns the id of the output of an earlier call if that has not failed, else records a new request. */
  private async request(
    { jobId, callId, title, body, base }: PullRequestCall,
    output: string,
  ): Promise<{ readonly job: JobState; readonly requested: string }> {
    const { store, processId } = this.parts;
    for (;;) {
      const job = await this.load(jobId);
      if (!job.repository?.imported)
        throw new ToolError(
          'no_repository',
          'This job has no repository, so there is nothing to open a pull request for.',
        );
      const earlier = Object.values(job.repository.outputs).find(isCallOfAgent);
      if (earlier) return { job, requested: earlier.request.output };
      // A person may request an output of an ended job, but a call that outlives its job may not.
      if (hasJobEnded(job)) throw new ToolError('job_ended', 'The job has ended.');
      const named = { output, actor: processId, callId, title, body, ...(base === undefined ? {} : { base }) };
      const event: JobEvent = { type: 'RepositoryOutputRequested', data: { kind: 'pull_request', ...named } };
      const origin = { actor: { id: processId, kind: 'process' }, causationId: callId } as const;
      try {
        await store.append(buildJobAppend(jobId, job.version, [event], origin));
        return { job: await this.load(jobId), requested: output };
      } catch (error) {
        if (!(error instanceof WrongExpectedVersion)) throw error;
      }
    }
  }

  private async awaitOutcome(
    jobId: JobId,
    output: string,
    signal: AbortSignal,
  ): Promise<Omit<OpenedPullRequest, 'created'>> {
    for (;;) {
      const { made, failure } = (await this.load(jobId)).repository!.outputs[output]!;
      if (failure)
        throw new ToolError(failure.code, `No pull request was opened: ${failure.message}. Nothing else was changed.`);
      if (made) return { url: made.url ?? '', branch: made.branch ?? '', commits: made.commits };
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  private async load(jobId: JobId): Promise<JobState> {
    const job = await this.parts.repository.loadJob(jobId);
    if (!job) throw new ToolError('no_job', `The log has no job ${jobId}. Tell the operator.`);
    return job;
  }
}

function isCallOfAgent({ request, failure }: RepositoryOutput): boolean {
  return request.kind === 'pull_request' && request.callId !== undefined && !failure;
}

/** Ids of calls are unique in a phase only. */
function deriveOutputId({ jobId, phase, callId }: PullRequestCall): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([jobId, phase, callId]))
    .digest('hex');
  return `call-${hash.slice(0, 32)}`;
}
