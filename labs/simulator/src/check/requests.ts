import type { Remains } from '../run/world.js';
import { jobLogs } from './streams.js';

/** Checks that each message to an agent is recorded once, however often it was sent. Messages of the workload are unique. */
export function* requestsOnce(remains: Remains): Iterable<string> {
  for (const { agent, told } of jobLogs(remains)) {
    const messages = told.flatMap(({ event }) => (event.type === 'JobSteered' ? [event.data.message] : []));
    for (const message of new Set(messages)) {
      const times = messages.filter((other) => other === message).length;
      if (times > 1) yield `${agent} received the message ${JSON.stringify(message)} ${times} times`;
    }
  }
}
