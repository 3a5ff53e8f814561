import type { Logger } from 'pino';
import type { AgentChangeListener } from './load-agents.js';

/** Maximum number of errors logged; `phaseline agents validate` shows all. */
const MAX_ERRORS_LOGGED = 20;

/** Logs whether edited definitions were accepted. */
export function logAgentChanges(logger: Logger): AgentChangeListener {
  return {
    onChanged: (agents) => logger.info({ agents }, 'new jobs use the changed agents'),
    onWarning: (text) => logger.warn(text),
    onBroken: (problems) =>
      logger.warn(
        { problems: problems.slice(0, MAX_ERRORS_LOGGED) },
        'changed definitions are invalid; new jobs use the last valid version',
      ),
  };
}
