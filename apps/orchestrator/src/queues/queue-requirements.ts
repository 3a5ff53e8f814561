import type { QueueName } from '@phaseline/contracts';
import type { Right } from '@phaseline/identity';

/**
 * Rights that the messages of each queue need, in the tenant that they name. `services-only`: only services of this system send such
 * messages. They contain ids and no decision, and their receivers check in the log what is due, so they need no right.
 */
export const queueRequirements = {
  jobs: 'jobs:submit',
  strategic: 'services-only',
  tactical: 'services-only',
  tools: 'services-only',
  timers: 'services-only',
  repositories: 'services-only',
} as const satisfies Readonly<Record<QueueName, Right | 'services-only'>>;
