import { anyAgent, creator, summary, validator, type RehearsalPolicy } from '@phaseline/rehearsal';

/** Which conversations the rehearsal server can play; the first policy that knows one answers. */
export const rehearsalPolicies: readonly RehearsalPolicy[] = [summary, creator, validator, anyAgent];
