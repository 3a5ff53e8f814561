import type { Logger } from 'pino';
import type { AgentNews } from './load-agents.js';

/** Complaints that are logged one by one; `phaseline agents validate` has them all. */
const SHOWN = 20;

/** Says in the log what became of an edit: whoever made it finds it there. */
export function logAgentNews(logger: Logger): AgentNews {
  return {
    taken: (agents) => logger.info({ agents }, 'changed agents are taken for new jobs'),
    remark: (text) => logger.warn(text),
    broken: (complaints) =>
      logger.warn(
        { complaints: complaints.slice(0, SHOWN) },
        'changed definitions cannot be used; new jobs get the last good version',
      ),
  };
}
