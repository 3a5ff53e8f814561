import { answerPieceSchema, type AnswerPiece, type AnswerWatch, type JobId } from '@phaseline/contracts';
import type pg from 'pg';
import type { ControlListener } from '../control/control-listener.js';
import { ANSWER_CHANNEL, parsePayload, sendNotifications, WATCH_CHANNEL, WATCH_RENEWAL_MS } from './answer-channels.js';

/** The answer that a model is writing, as far as it has arrived. */
export interface WatchedAnswer extends Omit<AnswerPiece, 'offset' | 'text' | 'hasEnded'> {
  readonly text: string;
  readonly hasEnded: boolean;
}

interface WatchedJob {
  readonly callbacks: Set<(answer: WatchedAnswer) => void>;
  answer?: WatchedAnswer;
}

/** Job ids per announcement, so that its payload is not too large. */
const MAX_JOBS_PER_MESSAGE = 90;
/** Pause before an announcement, so that one contains all jobs of a new connection. */
const ANNOUNCE_DELAY_MS = 10;

/**
 * Receives the answers that models are writing for watched jobs from the workers. It announces the watched jobs while there are any, and
 * sends nothing otherwise. Pieces may get lost; then it asks the worker for the answer from its beginning.
 */
export class AnswerWatcher {
  private readonly jobs = new Map<JobId, WatchedJob>();
  private readonly fromBeginning = new Set<JobId>();
  private readonly unsubscribes: readonly (() => void)[];
  private announcement: NodeJS.Timeout | undefined;
  private renewal: NodeJS.Timeout | undefined;

  constructor(
    private readonly pool: pg.Pool,
    listener: Pick<ControlListener, 'subscribe' | 'subscribeToChannel'>,
    private readonly onError: (error: unknown) => void = () => undefined,
  ) {
    this.unsubscribes = [
      listener.subscribeToChannel(ANSWER_CHANNEL, (payload) => this.handlePiece(payload)),
      listener.subscribe((jobId) => {
        // The connection was lost, and pieces with it.
        if (jobId === undefined) for (const watched of this.jobs.keys()) this.request(watched);
      }),
    ];
  }

  /** Calls back with each change of the answer of a job, beginning with what has arrived already, until it is disposed. */
  watch(jobId: JobId, callback: (answer: WatchedAnswer) => void): Disposable {
    const job = this.jobs.get(jobId) ?? { callbacks: new Set() };
    this.jobs.set(jobId, job);
    job.callbacks.add(callback);
    if (job.callbacks.size === 1) this.request(jobId);
    if (job.answer) callback(job.answer);
    this.renewal ??= setInterval(() => void this.announce(), WATCH_RENEWAL_MS).unref();
    return {
      [Symbol.dispose]: () => {
        job.callbacks.delete(callback);
        if (job.callbacks.size === 0 && this.jobs.get(jobId) === job) this.jobs.delete(jobId);
        if (this.jobs.size > 0) return;
        clearInterval(this.renewal);
        this.renewal = undefined;
      },
    };
  }

  /** Number of watched jobs. */
  get size(): number {
    return this.jobs.size;
  }

  close(): void {
    clearTimeout(this.announcement);
    clearInterval(this.renewal);
    this.jobs.clear();
    for (const unsubscribe of this.unsubscribes) unsubscribe();
  }

  /** Asks for the answer of a job from its beginning. */
  private request(jobId: JobId): void {
    this.fromBeginning.add(jobId);
    this.announcement ??= setTimeout(() => {
      this.announcement = undefined;
      void this.announce();
    }, ANNOUNCE_DELAY_MS).unref();
  }

  private async announce(): Promise<void> {
    const jobIds = [...this.jobs.keys()];
    const payloads: string[] = [];
    for (let index = 0; index < jobIds.length; index += MAX_JOBS_PER_MESSAGE) {
      const part = jobIds.slice(index, index + MAX_JOBS_PER_MESSAGE);
      const watch: AnswerWatch = { jobIds: part, fromBeginning: part.filter((id) => this.fromBeginning.has(id)) };
      payloads.push(JSON.stringify(watch));
    }
    this.fromBeginning.clear();
    try {
      if (payloads.length > 0) await sendNotifications(this.pool, WATCH_CHANNEL, payloads);
    } catch (error) {
      this.onError(error);
    }
  }

  private handlePiece(payload: string): void {
    const piece = parsePayload(answerPieceSchema, payload);
    const job = piece && this.jobs.get(piece.jobId);
    if (!piece || !job) return;
    const answer = addPiece(job.answer, piece);
    if (answer === 'gap') return this.request(piece.jobId);
    if (answer === job.answer) return;
    job.answer = answer;
    for (const callback of job.callbacks) callback(answer);
  }
}

/** Adds a piece to an answer. A piece may repeat what has arrived; `gap` if something between them is missing. */
function addPiece(before: WatchedAnswer | undefined, piece: AnswerPiece): WatchedAnswer | 'gap' {
  const { offset, text, hasEnded = false, ...call } = piece;
  const known = before?.attemptId === piece.attemptId ? before : undefined;
  const length = known?.text.length ?? 0;
  if (offset > length) return 'gap';
  if (known && offset + text.length <= length && hasEnded === known.hasEnded) return known;
  return { ...call, text: (known?.text ?? '') + text.slice(length - offset), hasEnded };
}
