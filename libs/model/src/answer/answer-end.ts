import type { AnswerEnd } from '@phaseline/contracts';

/** How an answer ended, before checking whether it holds calls. `failed` means that the finish reason reports an error. */
export type WireEnd = 'normal' | Extract<AnswerEnd, 'truncated' | 'filtered'> | 'failed';

/**
 * Classifies `finish_reason`. Servers send many values beyond the six of the protocol (`max_tokens`, `sensitive`,
 * `network_error`, `insufficient_system_resource`…). The finish reason never decides whether the answer holds calls.
 */
export function readFinishReason(reason: string | undefined): WireEnd {
  if (reason === undefined) return 'normal';
  if (/length|max|limit|context|truncat|incomplete/i.test(reason)) return 'truncated';
  if (/filter|safety|sensitiv|block|prohibit|recitation|refus|spii/i.test(reason)) return 'filtered';
  if (/error|abort|cancel|resource|timeout|interrupt|malformed|fail/i.test(reason)) return 'failed';
  return 'normal';
}

const SEVERITY_ORDER: readonly WireEnd[] = ['normal', 'truncated', 'filtered', 'failed'];

/** Returns the more severe of two finish reasons, because some servers send one with every chunk. */
export function selectWorseReason(first: string | undefined, second: string): string {
  if (first === undefined) return second;
  return SEVERITY_ORDER.indexOf(readFinishReason(second)) >= SEVERITY_ORDER.indexOf(readFinishReason(first))
    ? second
    : first;
}
