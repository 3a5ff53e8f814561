import type { ProcessReport } from '@phaseline/cluster';

/** Whether a live process takes messages of the queue. A process of a release that does not report its queues may take any. */
export function isServed(queue: string, processes: readonly Pick<ProcessReport, 'isDead' | 'queues'>[]): boolean {
  return processes.some(({ isDead, queues }) => !isDead && (queues?.includes(queue) ?? true));
}
