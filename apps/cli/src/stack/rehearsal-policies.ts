import {
  anyAgentPolicy,
  creatorPolicy,
  featureLoopPolicy,
  judgePolicy,
  summaryPolicy,
  validatorPolicy,
  type RehearsalPolicy,
} from '@phaseline/rehearsal';

/** Scripts of the rehearsal server. The first policy that recognises a conversation responds. */
export const rehearsalPolicies: readonly RehearsalPolicy[] = [
  summaryPolicy,
  judgePolicy,
  creatorPolicy,
  validatorPolicy,
  featureLoopPolicy,
  anyAgentPolicy,
];
