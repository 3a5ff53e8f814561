import type { EventStreamTimes } from './event-stream.js';

/** Injection token of `EventStreamTimes`. */
export const EVENT_STREAM_TIMES = Symbol('event stream times');

/**
 * Default intervals. The end of a phase wakes a stream; events inside a phase (a completed todo, a running tool) are
 * found by polling. Readers consider a stream that is silent for 45 seconds dead.
 */
export const eventStreamTimes: EventStreamTimes = {
  shortestPoll: 50,
  longestPoll: 500,
  keepAlive: 15_000,
  accessCheck: 1_000,
};
