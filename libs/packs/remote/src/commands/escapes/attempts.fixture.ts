import type { Attempt } from './attempt.fixture.js';
import { fileAttempts } from './file-attempts.fixture.js';
import { limitAttempts } from './limit-attempts.fixture.js';
import { networkAttempts } from './network-attempts.fixture.js';
import { kernelAttempts, processAttempts } from './process-attempts.fixture.js';

/** All attempts to get out of a command. */
export const attemptGroups: Readonly<
  Record<'reaches nothing outside' | 'takes no more than allowed', readonly Attempt[]>
> = {
  'reaches nothing outside': [...fileAttempts, ...processAttempts, ...kernelAttempts, ...networkAttempts],
  'takes no more than allowed': limitAttempts,
};
