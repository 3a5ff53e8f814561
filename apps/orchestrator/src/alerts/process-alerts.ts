import type { Alert } from '@phaseline/client';
import { formatDuration } from '@phaseline/service';
import type { AlertFacts, ProcessFacts } from './alert-facts.js';

/** Time for which a dead process is reported although another one of its service runs. */
const REPLACED_MS = 15 * 60_000;

/** Lists processes that died without deregistering, and those that report problems. */
export function listProcessAlerts({ processes }: AlertFacts): Alert[] {
  return processes.flatMap((process) => {
    if (!process.isDead) return process.problems.length > 0 ? [buildProblem(process)] : [];
    const isReplaced = processes.some(({ isDead, service }) => !isDead && service === process.service);
    return isReplaced && process.silentForMs > REPLACED_MS ? [] : [buildDead(process, isReplaced)];
  });
}

function buildDead({ processId, service, host, heartbeatAt, silentForMs }: ProcessFacts, isReplaced: boolean): Alert {
  const rest = isReplaced ? 'Others of its service run.' : 'No other one of its service runs.';
  return {
    id: `process-dead:${processId}`,
    kind: 'process-dead',
    severity: isReplaced ? 'warning' : 'critical',
    title: `A ${service} is silent`,
    cause: `${processId} on ${host} has written no heartbeat for ${formatDuration(silentForMs)} and counts as dead. ${rest}`,
    command: 'phaseline ps',
    since: heartbeatAt,
    link: { kind: 'process', id: processId },
  };
}

function buildProblem({ processId, service, host, problems }: ProcessFacts): Alert {
  return {
    id: `process-problem:${processId}`,
    kind: 'process-problem',
    severity: 'warning',
    title: `A ${service} cannot work`,
    cause: `${processId} on ${host} reports: ${problems.join('; ')}.`,
    command: 'phaseline ps',
    link: { kind: 'process', id: processId },
  };
}
