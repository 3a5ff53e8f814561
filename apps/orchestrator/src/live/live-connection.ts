import type { LiveEvent } from '@phaseline/client';
import type { WatchedAnswer } from '@phaseline/cluster';
import type { JobId } from '@phaseline/contracts';
import { AnswerCursor } from './answer-cursor.js';
import type { JobChanges } from './live-changes.js';

/** Maximum number of changed jobs, and of characters of answers, that wait for a slow reader. */
const MAX_WAITING_JOBS = 500;
const MAX_WAITING_CHARACTERS = 500_000;

/** What waits to be sent on a connection. */
export interface WaitingEvents {
  readonly jobs: ReadonlyMap<JobId, { readonly mayChangeInbox: boolean }>;
  readonly answers: readonly Extract<LiveEvent, { type: 'answer' }>[];
  /** Whether events were dropped because the reader is slow, or changes were missed. */
  readonly hasMissed: boolean;
}

/** Collects what has to be sent on one connection while its reader is not ready. Its size is limited. */
export class LiveConnection {
  private jobs = new Map<JobId, { readonly mayChangeInbox: boolean }>();
  private answers: Extract<LiveEvent, { type: 'answer' }>[] = [];
  private hasMissed = false;
  private waitingCharacters = 0;
  private readonly cursors = new Map<JobId, AnswerCursor>();
  private woken = Promise.withResolvers<void>();

  addChanges(changes: JobChanges): void {
    if (changes === 'missed') this.hasMissed = true;
    else
      for (const [jobId, { mayChangeInbox }] of changes)
        this.jobs.set(jobId, { mayChangeInbox: mayChangeInbox || this.jobs.get(jobId)?.mayChangeInbox === true });
    if (this.jobs.size > MAX_WAITING_JOBS) {
      this.jobs.clear();
      this.hasMissed = true;
    }
    this.woken.resolve();
  }

  addAnswer(answer: WatchedAnswer): void {
    const cursor = this.cursors.get(answer.jobId) ?? new AnswerCursor();
    this.cursors.set(answer.jobId, cursor);
    const event = cursor.advance(answer);
    this.answers.push(event);
    this.waitingCharacters += event.text.length;
    if (this.waitingCharacters > MAX_WAITING_CHARACTERS) this.dropAnswers();
    this.woken.resolve();
  }

  /** Returns what waits, and forgets it. */
  take(): WaitingEvents {
    const { jobs, answers, hasMissed } = this;
    this.jobs = new Map();
    this.answers = [];
    this.hasMissed = false;
    this.waitingCharacters = 0;
    return { jobs, answers, hasMissed };
  }

  /** Returns when something waits, after `ms`, or when the signal fires. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
    const stop = (): void => this.woken.resolve();
    signal.addEventListener('abort', stop, { once: true });
    await Promise.race([this.woken.promise, late]);
    signal.removeEventListener('abort', stop);
    clearTimeout(timer);
    this.woken = Promise.withResolvers<void>();
  }

  /** The next piece of each answer then contains it from its beginning. */
  private dropAnswers(): void {
    this.answers = [];
    this.waitingCharacters = 0;
    for (const cursor of this.cursors.values()) cursor.reset();
  }
}
