import type { PlanOutline, PlanSession } from '../session.js';

/** A way to go through the plan, with reasons for and against it. */
export interface RoadmapOption {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly reason: string;
  /** Reason if it is chosen. */
  readonly choice: string;
}

/** Returns the options of a roadmap: two for a concise or quiet conversation, otherwise three. */
export function buildOptions(
  { policy }: Pick<PlanSession, 'policy'>,
  { nodes }: Pick<PlanOutline, 'nodes'>,
): readonly RoadmapOption[] {
  const phases = nodes.filter(({ level }) => level === 'L1').length;
  const tasks = nodes.filter(({ level }) => level === 'L3' || level === 'L4').length;
  const size = `${phases === 1 ? 'one phase' : `${phases} phases`} and ${tasks === 1 ? 'one task' : `${tasks} tasks`}`;
  const options: readonly RoadmapOption[] = [
    {
      id: 'steady',
      title: 'One after another',
      description: `The ${size} follow one another, so that one thing is done at a time.`,
      reason: 'Each task begins when the one before it has ended: it is easy to follow, and a delay is seen at once.',
      choice: 'It needs the least attention, and what is late is seen at the next task.',
    },
    {
      id: 'independent',
      title: 'Only what is needed first',
      description: `Of the ${size}, only the tasks within a part wait for one another, so that parts can be exchanged.`,
      reason: 'A part that is blocked does not hold up the others, but more is open at the same time.',
      choice: 'It leaves the most freedom to exchange parts when something is blocked.',
    },
    {
      id: 'buffered',
      title: 'With a day between parts',
      description: `The ${size} follow one another, with a day of rest between parts.`,
      reason: 'A day between parts absorbs small delays, but the plan takes longer.',
      choice: 'It absorbs small delays without a change of the plan.',
    },
  ];
  const isShort = policy.conversationStyle === 'concise' || policy.talkativeness < 0.5;
  return isShort ? options.slice(0, 2) : options;
}

/** Returns the option that the person chose, or the first one. */
export function chooseOption(
  options: readonly RoadmapOption[],
  session: Pick<PlanSession, 'chosenOption' | 'messages'>,
): RoadmapOption {
  const said =
    session.messages
      .findLast(({ from }) => from === 'person')
      ?.text.trim()
      .toLowerCase() ?? '';
  return (
    options.find(({ id }) => id === session.chosenOption) ??
    options.find(({ id, title }) => said === id || said === title.toLowerCase()) ??
    options[0]!
  );
}
