import type { RunResult } from '../run/world.js';
import { readJobLogs } from './streams.js';

/** Checks that each message to an agent is recorded once, however often it was sent. Messages of the workload are unique. */
export function* checkRequests(remains: RunResult): Iterable<string> {
  for (const { agent, events } of readJobLogs(remains)) {
    const messages = events.flatMap(({ event }) => (event.type === 'JobSteered' ? [event.data.message] : []));
    for (const message of new Set(messages)) {
      const times = messages.filter((other) => other === message).length;
      if (times > 1) yield `${agent} received the message ${JSON.stringify(message)} ${times} times`;
    }
  }
}
