import { setTimeout as sleep } from 'node:timers/promises';
import type { InboxItem, PhaselineClient } from '@phaseline/client';
import type { JobId } from '@phaseline/contracts';
import type { SeededRandom } from '@phaseline/harness';

export interface JobLoadOptions {
  readonly client: PhaselineClient;
  /** Pause between two jobs in milliseconds. */
  readonly intervalMs: number;
  readonly random: SeededRandom;
  /** Entries of the inbox that stay: nobody answers those of these jobs. */
  readonly unanswered: ReadonlySet<JobId>;
}

const DOCUMENTS = [{ name: 'note.md', content: '# Note\n\nThe report must be blue.\n' }];

/** Submits a small job of an agent. */
export async function submitSmallJob(client: PhaselineClient, agent: string): Promise<JobId> {
  return (await client.submit({ agent, labels: { load: 'yes' }, documents: DOCUMENTS })).jobId;
}

/** Submits small jobs and answers their questions, one at a time, until it is stopped. */
export class JobLoad {
  submitted = 0;
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;
  /** The job that was submitted last. */
  private latestJob: JobId;

  constructor(
    private readonly options: JobLoadOptions,
    first: JobId,
  ) {
    this.latestJob = first;
    this.running = this.run();
    // The error reaches the caller of `stop`.
    this.running.catch(() => undefined);
  }

  latest(): JobId {
    return this.latestJob;
  }

  /** Stops. Throws what went wrong meanwhile. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { client, intervalMs, random } = this.options;
    while (!this.stopping.signal.aborted) {
      const jobId = await submitSmallJob(client, random.chance(0.7) ? 'writer' : 'asker');
      this.latestJob = jobId;
      this.submitted += 1;
      await sleep(intervalMs, undefined, { signal: this.stopping.signal }).catch(() => undefined);
      await this.answerQuestions();
    }
  }

  private async answerQuestions(): Promise<void> {
    const { client, unanswered } = this.options;
    const items: InboxItem[] = [];
    for await (const item of client.inbox({ kind: 'question' })) items.push(item);
    for (const { jobId, callId, question } of items) {
      if (unanswered.has(jobId) || callId === undefined || question === undefined) continue;
      const { questionHash, options = ['red'] } = question;
      await client.control(jobId, 'answer', { callId, questionHash, answer: options[0]! });
    }
  }
}
