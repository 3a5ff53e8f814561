import { createHash } from 'node:crypto';
import { sleepUntilAborted } from '@phaseline/basics';
import {
  answerEventTypes,
  readAnswers,
  type AnswerCalls,
  type AnswerEvent,
  type Branch,
  type BranchRequest,
  type BranchRunner,
  type RecordedAnswer,
} from '@phaseline/branches';
import { RequestRefused, type ForkInput, type JobSummary, type PhaselineClient } from '@phaseline/client';
import { isEnded, type JobId } from '@phaseline/contracts';

/** Labels of every branch: the name of the work, and which branch it is. Labels of people have other names, such as the branch of a repository. */
export const BRANCH_LABEL = 'phaseline-branch';
const BRANCH_KEY_LABEL = 'phaseline-branch-key';

/** Failure of a job that has spent what it may cost. Such a branch is run again when there is more to spend. */
const COST_LIMIT = 'cost_limit';

const POLL_MS = 500;
const PAGE_SIZE = 1_000;

/** Runs branches of jobs on a server, as forks. */
export class ClientBranches implements BranchRunner {
  /** Usage of jobs up to the positions from which they are forked. */
  private readonly usages = new Map<string, Promise<JobSummary['usage']>>();

  /** `name` is that of the work: branches of the same name and key are the same forks, so that interrupted work continues. */
  constructor(
    private readonly client: PhaselineClient,
    private readonly name: string,
    private readonly signal: AbortSignal,
  ) {}

  /** Lists the answers of a job. */
  async listAnswers(jobId: JobId): Promise<readonly RecordedAnswer[]> {
    const { client, signal } = this;
    const events: AnswerEvent[] = [];
    for (let after: number | undefined = 0; after !== undefined;) {
      const page = await client.eventPage(jobId, { after, limit: PAGE_SIZE, types: [...answerEventTypes] }, { signal });
      events.push(...page.items);
      after = page.nextAfter;
    }
    return readAnswers(events);
  }

  async run(request: BranchRequest): Promise<Branch> {
    const { jobId: parent, position, isProbe } = request;
    const before = await this.readUsage(parent, position);
    const jobId =
      (await this.findEarlier(request)) ??
      (await this.client.fork(parent, this.toFork(request, before), { signal: this.signal })).jobId;
    const firstCalls = isProbe ? await this.takeFirstAnswer(jobId) : undefined;
    const job = await this.waitForEnd(jobId);
    return {
      jobId,
      status: job.status,
      ...(job.failure ? { code: job.failure.code } : {}),
      costMicroUsd: job.usage.costMicroUsd - before.costMicroUsd,
      steps: job.usage.steps - before.steps,
      ...(firstCalls ? { firstCalls } : {}),
    };
  }

  /** Finds the branch of an earlier run of the same work, whatever it was allowed to cost. */
  private async findEarlier(request: BranchRequest): Promise<JobId | undefined> {
    const labels = Object.entries(this.toLabels(request)).map(([key, value]) => `${key}=${value}`);
    const { items } = await this.client.listPage({ labels, limit: 10 }, { signal: this.signal });
    return items.find(({ failure }) => failure?.code !== COST_LIMIT)?.jobId;
  }

  /** Positions are those of the whole log, so they name the job as well. */
  private toLabels({ position, key }: BranchRequest): Record<string, string> {
    return { [BRANCH_LABEL]: this.name, [BRANCH_KEY_LABEL]: `${position}-${key}` };
  }

  private toFork(request: BranchRequest, before: JobSummary['usage']): ForkInput {
    const { position, isProbe, maxCostMicroUsd, key } = request;
    const { agent, models, limits } = request.candidate;
    return {
      position,
      // Nothing outside the log changes for a probe, whose calls may start before it is cancelled.
      mode: isProbe ? 'live-model' : 'live',
      agent,
      models,
      limits: limits && { ...limits },
      // The limit of a fork includes what its parent had spent.
      budgets:
        maxCostMicroUsd === undefined ? undefined : { maxCostUsd: (before.costMicroUsd + maxCostMicroUsd) / 1_000_000 },
      labels: this.toLabels(request),
      idempotencyKey: createHash('sha256')
        .update(JSON.stringify([this.name, request.jobId, key, maxCostMicroUsd]))
        .digest('hex'),
    };
  }

  /** Waits for the first answer of a branch, and cancels it. */
  private async takeFirstAnswer(jobId: JobId): Promise<AnswerCalls | undefined> {
    for await (const { data } of this.client.events(jobId, { types: ['ModelResponded'], signal: this.signal })) {
      await this.cancel(jobId);
      const { calls } = data as { readonly calls?: AnswerCalls };
      return (calls ?? []).map(({ name, arguments: args }) => ({ name, arguments: args }));
    }
    return undefined;
  }

  private async cancel(jobId: JobId): Promise<void> {
    try {
      await this.client.cancel(jobId, { reason: 'only its first answer was needed' }, { signal: this.signal });
    } catch (error) {
      // It may have ended by itself.
      if (!(error instanceof RequestRefused)) throw error;
    }
  }

  /** Waits until a branch has ended, or cannot continue without a person. */
  private async waitForEnd(jobId: JobId): Promise<JobSummary> {
    for (;;) {
      const job = await this.client.get(jobId, { signal: this.signal });
      if (isEnded(job.status) || job.status === 'paused' || job.status.startsWith('waiting-')) return job;
      await sleepUntilAborted(POLL_MS, this.signal);
      this.signal.throwIfAborted();
    }
  }

  private readUsage(jobId: JobId, at: number): Promise<JobSummary['usage']> {
    const key = `${jobId}@${at}`;
    const known = this.usages.get(key);
    if (known) return known;
    const read = this.client.state(jobId, { at, signal: this.signal }).then(({ usage }) => usage);
    this.usages.set(key, read);
    return read;
  }
}
