import type { RehearsalAnswer } from '../../rehearsal-policy.js';
import { act, call } from '../scene.js';
import type { PlanScene } from './plan-scene.js';

/** Offers ideas if the person asked for them, or always wants them, and the tool is offered; once per phase. */
export function offerIdeas({
  toolNames,
  calls,
  conversation,
  session,
  confidence,
}: PlanScene): RehearsalAnswer | undefined {
  const { aim, style } = conversation.goal;
  const isWanted = style.wantsIdeas || session.policy.brainstormingPreference === 'always_offer';
  if (!isWanted || !toolNames.includes('brainstormer') || calls.some(({ name }) => name === 'brainstormer'))
    return undefined;
  const ideas = [
    {
      title: 'Begin with the smallest part',
      description: `Choose the part of ${aim.object} that can be done this week, and do only that first.`,
    },
    {
      title: 'Learn from a person who has done it',
      description: `Ask them what took longer than expected on the way to ${aim.object}.`,
    },
    {
      title: 'Make progress visible',
      description: `Put a list of the parts of ${aim.object} where it is seen every day, and tick off what is done.`,
    },
  ];
  return act('', call('brainstormer', { ideas, confidence }));
}
