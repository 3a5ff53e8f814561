import { listHealthOutcomes, type PhaseState } from '@phaseline/domain';

/**
 * Shows the item of the loop that the phase works on, what was handed over with it, and why the last attempt failed. The texts are by other
 * agents, so they are part of a user message and not of the system prompt.
 */
export function renderItem(state: PhaseState): readonly string[] {
  const { item, handoff } = state.start.plan;
  if (!item) return [];
  const { id, description, checks, attempts, reason } = item;
  return [
    '',
    `## Feature ${id}`,
    description,
    `It is proved by these cases, which failed before the work on it began: ${JSON.stringify(checks)}`,
    ...(attempts > 0
      ? [`Failed attempts so far: ${attempts}.${reason === undefined ? '' : ` The last one: ${reason}`}`]
      : []),
    ...listHealthOutcomes(state).map(({ name, passed, reason }) =>
      passed
        ? `The verifier ${name} passed before you began.`
        : `The verifier ${name} fails before you begin any work: ${reason} Find out why first.`,
    ),
    ...(handoff ? [`Handed over by ${handoff.from}: ${JSON.stringify(handoff.context)}`] : []),
  ];
}
