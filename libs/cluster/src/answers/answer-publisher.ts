import { randomUUID } from 'node:crypto';
import { answerWatchSchema, type AnswerPiece, type JobId } from '@phaseline/contracts';
import type pg from 'pg';
import type { ControlListener } from '../control/control-listener.js';
import { ANSWER_CHANNEL, parsePayload, sendNotifications, WATCH_CHANNEL, WATCH_EXPIRY_MS } from './answer-channels.js';
import { cutPiece } from './cut-piece.js';

/** A model call whose answer is received. */
export type AnsweredCall = Pick<AnswerPiece, 'jobId' | 'phase' | 'step' | 'attempt' | 'purpose'>;

/** Receives the answer to a model call while the model writes it. */
export interface AnswerRecorder {
  add(text: string): void;
  /** Says that another attempt begins. What was added is void. */
  restart(attempt: number): void;
  /** Says that the answer is complete. */
  end(): void;
  /** Says that there is no answer. What was added is void. */
  discard(): void;
}

interface OpenAnswer {
  readonly call: AnsweredCall;
  readonly attemptId: string;
  text: string;
  /** Number of characters that were sent. */
  sent: number;
  /** Whether a piece was sent; the first one may be empty and tells that the attempt has begun. */
  isAnnounced: boolean;
  hasEnded: boolean;
}

const FLUSH_INTERVAL_MS = 250;
/** Maximum number of messages per commit. The rest follows with the next one. */
const MAX_PIECES_PER_FLUSH = 16;

/**
 * Publishes the answers of this worker's model calls while people watch their jobs, outside the log. Otherwise it only keeps
 * the text of running calls in memory, so that a watcher who joins late receives the answer from its beginning.
 */
export class AnswerPublisher {
  private readonly watchedUntil = new Map<JobId, number>();
  /** In the order in which the calls began. */
  private readonly answers = new Set<OpenAnswer>();
  private readonly unsubscribe: () => void;
  private timer: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(
    private readonly pool: pg.Pool,
    listener: Pick<ControlListener, 'subscribeToChannel'>,
    private readonly onError: (error: unknown) => void = () => undefined,
  ) {
    this.unsubscribe = listener.subscribeToChannel(WATCH_CHANNEL, (payload) => this.handleWatch(payload));
  }

  /** Begins to record the answer to a call. */
  open(call: AnsweredCall): AnswerRecorder {
    let answer = this.begin(call);
    return {
      add: (text) => {
        answer.text += text;
        this.schedule(answer);
      },
      restart: (attempt) => {
        if (attempt === answer.call.attempt) return;
        this.answers.delete(answer);
        answer = this.begin({ ...call, attempt });
      },
      end: () => {
        answer.hasEnded = true;
        if (this.isWatched(answer)) this.schedule(answer);
        else this.answers.delete(answer);
      },
      discard: () => void this.answers.delete(answer),
    };
  }

  /** Stops publishing. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    this.unsubscribe();
  }

  private begin(call: AnsweredCall): OpenAnswer {
    this.dropUnwatched();
    const answer = { call, attemptId: randomUUID(), text: '', sent: 0, isAnnounced: false, hasEnded: false };
    this.answers.add(answer);
    this.schedule(answer);
    return answer;
  }

  private handleWatch(payload: string): void {
    const watch = parsePayload(answerWatchSchema, payload);
    if (!watch) return;
    const until = performance.now() + WATCH_EXPIRY_MS;
    for (const jobId of watch.jobIds) this.watchedUntil.set(jobId, until);
    const again = new Set(watch.fromBeginning);
    for (const answer of this.answers) {
      if (again.has(answer.call.jobId)) Object.assign(answer, { sent: 0, isAnnounced: false });
      this.schedule(answer);
    }
  }

  private isWatched({ call: { jobId } }: OpenAnswer): boolean {
    return (this.watchedUntil.get(jobId) ?? 0) > performance.now();
  }

  private isDue(answer: OpenAnswer): boolean {
    return this.isWatched(answer) && (!answer.isAnnounced || answer.sent < answer.text.length || answer.hasEnded);
  }

  private schedule(answer: OpenAnswer): void {
    if (this.isClosed || this.timer || !this.isDue(answer)) return;
    this.timer = setTimeout(() => void this.flush(), FLUSH_INTERVAL_MS).unref();
  }

  private async flush(): Promise<void> {
    this.dropUnwatched();
    const pieces = this.takePieces();
    try {
      if (pieces.length > 0) await sendNotifications(this.pool, ANSWER_CHANNEL, pieces);
    } catch (error) {
      // The watchers find the gap and ask for the answer again.
      this.onError(error);
    }
    this.timer = undefined;
    for (const answer of this.answers) this.schedule(answer);
  }

  private takePieces(): string[] {
    const pieces: string[] = [];
    for (const answer of this.answers) {
      while (pieces.length < MAX_PIECES_PER_FLUSH && this.isDue(answer)) {
        const { payload, sent } = cutPiece({ ...answer.call, attemptId: answer.attemptId }, answer);
        pieces.push(payload);
        Object.assign(answer, { sent, isAnnounced: true });
        if (answer.hasEnded && sent === answer.text.length) {
          this.answers.delete(answer);
          break;
        }
      }
    }
    return pieces;
  }

  private dropUnwatched(): void {
    const now = performance.now();
    for (const [jobId, until] of this.watchedUntil) if (until <= now) this.watchedUntil.delete(jobId);
    for (const answer of this.answers) if (answer.hasEnded && !this.isWatched(answer)) this.answers.delete(answer);
  }
}
