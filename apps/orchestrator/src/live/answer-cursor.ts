import type { LiveEvent } from '@phaseline/client';
import type { WatchedAnswer } from '@phaseline/cluster';

type AnswerEvent = Extract<LiveEvent, { type: 'answer' }>;

/** What was sent of the answers of one job on one connection. */
export class AnswerCursor {
  private attemptId: string | undefined;
  private sentCharacters = 0;
  private sequence = 0;

  /** Returns the event that brings the reader from what was sent to `answer`. */
  advance({ attemptId, text, hasEnded, ...call }: WatchedAnswer): AnswerEvent {
    const isReset = attemptId !== this.attemptId;
    if (isReset) Object.assign(this, { attemptId, sentCharacters: 0, sequence: 0 });
    const event: AnswerEvent = {
      type: 'answer',
      ...call,
      sequence: this.sequence,
      text: text.slice(this.sentCharacters),
      ...(isReset ? { reset: true } : {}),
      ...(hasEnded ? { hasEnded: true } : {}),
    };
    this.sentCharacters = text.length;
    this.sequence += 1;
    return event;
  }

  /** Makes the next event a reset, because the reader did not receive one. */
  reset(): void {
    this.attemptId = undefined;
  }
}
