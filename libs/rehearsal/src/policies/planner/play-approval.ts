import type { RehearsalAnswer } from '../../rehearsal-policy.js';
import { act, call } from '../scene.js';
import type { PlanScene } from './plan-scene.js';
import type { PlanNode } from './session.js';

/** Lengths of messages in characters at talkativeness 0 and 1, as the tool cuts them. */
const MIN_CHARACTERS = 160;
const MAX_CHARACTERS = 1_600;

/** Plays SEEK_APPROVAL: says what the plan is, and how to answer. */
export function playApproval(scene: PlanScene): RehearsalAnswer {
  const { session, confidence } = scene;
  const limit = Math.round(MIN_CHARACTERS + (MAX_CHARACTERS - MIN_CHARACTERS) * session.policy.talkativeness);
  const cta = "Reply 'approve', or 'propose changes: …' with what is to be different.";
  return act('', call('summarizer', { text: joinWithin(describePlan(scene), limit), call_to_action: cta, confidence }));
}

/** Joins sentences as long as they fit; the first one always does. */
function joinWithin(sentences: readonly string[], limit: number): string {
  return sentences.reduce(
    (text, sentence) => (text !== '' && text.length + sentence.length >= limit ? text : `${text} ${sentence}`.trim()),
    '',
  );
}

/** Sentences about the plan, the most important one first, in the wording of the policy. */
function describePlan(scene: PlanScene): readonly string[] {
  const { conversation, session, outline, confidence } = scene;
  const { conversationStyle, tone } = session.policy;
  const { title } = conversation.goal.aim;
  const isBrief = conversationStyle === 'concise';
  const opening = conversationStyle === 'conversational' ? `You said: "${title}".` : `Plan: ${title}.`;
  return [
    opening,
    describeDates(scene),
    ...(outline === undefined ? [] : describeOutline(outline.nodes)),
    ...(tone === 'friendly' && !isBrief ? ['Well begun: the first step is small.'] : []),
    ...(conversationStyle === 'coach'
      ? ['The next step is the approval: then the first date is fixed, and progress can be seen.']
      : []),
    ...(confidence < 0.7 && !isBrief ? ['Some of it is assumed, because the goal leaves it open.'] : []),
  ];
}

function describeDates({ schedule, outline, draft: { frame } }: PlanScene): string {
  const starts = schedule?.tasks.map(({ start }) => start.slice(0, 10)).toSorted() ?? [];
  const ends = schedule?.tasks.map(({ end }) => end.slice(0, 10)).toSorted() ?? [];
  // A schedule has only the first of the sessions.
  const isRepeated = outline?.nodes.some(({ recurrence }) => recurrence !== undefined) === true;
  const [first = frame.start, last = frame.end] = [starts[0], frame.hasEnd || isRepeated ? frame.end : ends.at(-1)];
  return `From ${first} to ${last}.`;
}

function describeOutline(nodes: readonly PlanNode[]): readonly string[] {
  const phases = nodes.filter(({ level, time }) => level === 'L1' && time !== 'recurring');
  const cycles = nodes.filter(({ level, time }) => level === 'L1' && time === 'recurring');
  const leaves = nodes.filter(
    ({ id, level }) => (level === 'L3' || level === 'L4') && !nodes.some(({ parent }) => parent === id),
  );
  const once = leaves.filter(({ time }) => time !== 'recurring');
  const sessions = leaves.filter(({ time }) => time === 'recurring');
  const sum = (list: readonly PlanNode[]): number =>
    list.reduce((all, { estimateMinutes = 0 }) => all + estimateMinutes, 0);
  return [
    ...(phases.length > 0
      ? [`${countNoun(phases.length, 'part')}: ${phases.map(({ title }) => title).join('; ')}.`]
      : []),
    ...(once.length > 0 ? [`${countNoun(once.length, 'task')} with ${formatHours(sum(once))} of work.`] : []),
    ...(sessions.length > 0
      ? [`Each round takes ${sum(sessions)} minutes${cycles.length > 0 ? `: ${cycles[0]!.title}` : ''}.`]
      : []),
  ];
}

function countNoun(count: number, noun: string): string {
  return count === 1 ? `One ${noun}` : `${count} ${noun}s`;
}

function formatHours(minutes: number): string {
  return minutes < 60
    ? `${minutes} minutes`
    : minutes === 60
      ? 'one hour'
      : `${Number((minutes / 60).toFixed(1))} hours`;
}
