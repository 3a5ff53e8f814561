import { anyAgent, creator, summary, validator, type RehearsalPolicy } from '@phaseline/rehearsal';

/** Scripts of the rehearsal server. The first policy that recognises a conversation responds. */
export const rehearsalPolicies: readonly RehearsalPolicy[] = [summary, creator, validator, anyAgent];
