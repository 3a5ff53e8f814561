import {
  anyAgentPolicy,
  creatorPolicy,
  featureLoopPolicy,
  judgePolicy,
  plannerPolicy,
  reflectionPolicy,
  summaryPolicy,
  validatorPolicy,
  type RehearsalPolicy,
} from '@phaseline/rehearsal';

/** Scripts of the rehearsal server. The first policy that recognises a conversation responds. */
export const rehearsalPolicies: readonly RehearsalPolicy[] = [
  summaryPolicy,
  judgePolicy,
  reflectionPolicy,
  creatorPolicy,
  validatorPolicy,
  featureLoopPolicy,
  plannerPolicy,
  anyAgentPolicy,
];
