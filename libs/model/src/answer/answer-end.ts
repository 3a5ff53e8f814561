import type { AnswerEnd } from '@phaseline/domain';

/** How an answer ended, before it is known whether it holds calls. `failed` is an error in the guise of an answer. */
export type WireEnd = 'normal' | Extract<AnswerEnd, 'cut' | 'filtered'> | 'failed';

/**
 * Reads `finish_reason`, of which servers know far more than the six of the protocol (`max_tokens`, `sensitive`,
 * `network_error`, `insufficient_system_resource`…). Whether there are calls is never read from it.
 */
export function readFinishReason(reason: string | undefined): WireEnd {
  if (reason === undefined) return 'normal';
  if (/length|max|limit|context|truncat|incomplete/i.test(reason)) return 'cut';
  if (/filter|safety|sensitiv|block|prohibit|recitation|refus|spii/i.test(reason)) return 'filtered';
  if (/error|abort|cancel|resource|timeout|interrupt|malformed|fail/i.test(reason)) return 'failed';
  return 'normal';
}

const order: readonly WireEnd[] = ['normal', 'cut', 'filtered', 'failed'];

/** The one of two reasons to go by, as some servers send one with every chunk: the worse. */
export function worseReason(first: string | undefined, second: string): string {
  if (first === undefined) return second;
  return order.indexOf(readFinishReason(second)) >= order.indexOf(readFinishReason(first)) ? second : first;
}
