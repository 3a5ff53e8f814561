import type { Logger } from 'pino';
import type { AgentNews } from './load-agents.js';

/** Maximum number of errors logged; `phaseline agents validate` shows all. */
const MAX_ERRORS_LOGGED = 20;

/** Logs whether edited definitions were accepted. */
export function logAgentNews(logger: Logger): AgentNews {
  return {
    taken: (agents) => logger.info({ agents }, 'new jobs use the changed agents'),
    remark: (text) => logger.warn(text),
    broken: (complaints) =>
      logger.warn(
        { complaints: complaints.slice(0, MAX_ERRORS_LOGGED) },
        'changed definitions are invalid; new jobs use the last valid version',
      ),
  };
}
