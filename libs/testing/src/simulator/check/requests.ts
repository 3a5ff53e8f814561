import type { Remains } from '../run/world.js';
import { jobLogs } from './streams.js';

/** What people say to an agent is recorded once, however often they had to ask: each message of the workload is one of a kind. */
export function* requestsOnce(remains: Remains): Iterable<string> {
  for (const { agent, told } of jobLogs(remains)) {
    const said = told.flatMap(({ event }) => (event.type === 'JobSteered' ? [event.data.message] : []));
    for (const message of new Set(said)) {
      const times = said.filter((other) => other === message).length;
      if (times > 1) yield `${agent} was told ${JSON.stringify(message)} ${times} times`;
    }
  }
}
