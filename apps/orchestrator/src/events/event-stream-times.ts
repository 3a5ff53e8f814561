import type { EventStreamTimes } from './event-stream.js';

/** Token of `EventStreamTimes`. */
export const EVENT_STREAM_TIMES = Symbol('event stream times');

/**
 * The end of a phase wakes a stream; what happens inside of one (a todo done, a tool that runs) is found by looking. Readers
 * take a stream that is silent for 45 seconds for dead.
 */
export const eventStreamTimes: EventStreamTimes = { shortestPoll: 50, longestPoll: 500, keepAlive: 15_000 };
