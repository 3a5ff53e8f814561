import {
  anyAgentPolicy,
  creatorPolicy,
  featureLoopPolicy,
  judgePolicy,
  plannerPolicy,
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
  plannerPolicy,
  anyAgentPolicy,
];
