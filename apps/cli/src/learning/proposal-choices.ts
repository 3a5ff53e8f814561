/** Kinds of proposals as the command line names them. */
export const proposalChoices = ['rule', 'stricter', 'instructions'] as const;
export type ProposalChoice = (typeof proposalChoices)[number];
