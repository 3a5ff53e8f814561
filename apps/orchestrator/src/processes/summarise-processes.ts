/** What metrics need of the report of a process. */
export interface ProcessSummary {
  readonly service: string;
  readonly isDead: boolean;
  /** Age of the last heartbeat in milliseconds. */
  readonly silentForMs: number;
  /** Queues whose messages it handles; undefined if not reported. */
  readonly queues: readonly string[] | undefined;
}

interface Value {
  readonly labels: Record<string, string>;
  readonly value: number;
}

/** Counts the processes of each service by state. */
export function countProcesses(processes: readonly ProcessSummary[]): Value[] {
  return listServices(processes).flatMap((service) => {
    const own = processes.filter((process) => process.service === service);
    const dead = own.filter(({ isDead }) => isDead).length;
    return [
      { labels: { process: service, state: 'alive' }, value: own.length - dead },
      { labels: { process: service, state: 'dead' }, value: dead },
    ];
  });
}

/** Returns the age of the newest heartbeat of each service in seconds. */
export function findHeartbeatAges(processes: readonly ProcessSummary[]): Value[] {
  return listServices(processes).map((service) => {
    const ages = processes.filter((process) => process.service === service).map(({ silentForMs }) => silentForMs);
    return { labels: { process: service }, value: Math.min(...ages) / 1000 };
  });
}

/** Counts the live processes that handle each queue. */
export function countQueueWorkers(processes: readonly ProcessSummary[], queues: readonly string[]): Value[] {
  return queues.map((queue) => ({
    labels: { queue },
    value: processes.filter(({ isDead, queues: served = [] }) => !isDead && served.includes(queue)).length,
  }));
}

function listServices(processes: readonly ProcessSummary[]): string[] {
  return [...new Set(processes.map(({ service }) => service))];
}
