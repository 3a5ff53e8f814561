import type { JsonObject } from '@phaseline/basics';
import type { RehearsalAnswer } from '../../../rehearsal-policy.js';
import { act, call, reportBlocked } from '../../scene.js';
import { offerIdeas } from '../offer-ideas.js';
import type { PlanScene } from '../plan-scene.js';
import { readToolHistory } from '../tool-results.js';
import { buildCapacity } from './build-capacity.js';
import { readCircumstanceArguments } from './circumstance-arguments.js';
import { buildQuestions } from './build-questions.js';

const MAX_FAILURES = 2;

/** Plays COLLECT_CONTEXT: first what the words say about the conversation, then what they say about the plan. */
export function playCollect(scene: PlanScene): RehearsalAnswer {
  const early = probePreferences(scene) ?? offerIdeas(scene);
  if (early) return early;
  const { failures, success } = readToolHistory(scene.calls, 'context_elicitor');
  if (success) return act('The context is collected.');
  const args = buildContext(scene);
  if (failures.length === 0) return act('', call('context_elicitor', args));
  const explanations = failures.flatMap((failure) => failure.explanations).join('\n');
  if (failures.length > MAX_FAILURES) return reportBlocked(explanations);
  // What the explanation names is left out, and keeps the value that it had.
  const kept = Object.entries(args).filter(
    ([name]) => name === 'confidence' || !new RegExp(`\\b${name}\\b`).test(explanations),
  );
  const isNamed = kept.length < Object.keys(args).length;
  return act('', call('context_elicitor', isNamed ? Object.fromEntries(kept) : { confidence: scene.confidence }));
}

/** Records what the person said about style, unless the policy has it already; has them asked once if nothing is known about it. */
function probePreferences({
  toolNames,
  calls,
  conversation,
  session,
  confidence,
}: PlanScene): RehearsalAnswer | undefined {
  const { overrides, words } = conversation.goal.style;
  const current = new Map(
    Object.entries(session.policy).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
  const isNew = Object.entries(overrides).some(([key, value]) => current.get(key) !== value);
  const wasCalled = calls.some(({ name }) => name === 'preference_probe');
  if (wasCalled || !toolNames.includes('preference_probe')) return undefined;
  const isKnown = [session.preferences, ...session.overrides].some(({ conversationStyle }) => conversationStyle);
  if (!isNew && !isKnown && !session.wasStyleAsked) return act('', call('preference_probe', { confidence }));
  if (!isNew) return undefined;
  return act(
    '',
    call('preference_probe', { overrides, words: words.join('; '), confidence: Math.max(confidence, 0.7) }),
  );
}

/** Builds the arguments of the tool: only what was stated, so that everything else keeps the value that it had. */
function buildContext(scene: PlanScene): JsonObject {
  const { conversation, context, session, confidence, draft } = scene;
  const { goal, answers } = conversation;
  const known = new Set(
    context?.facts.filter(({ isAssumed }) => !isAssumed).map(({ question, answer }) => `${question}\n${answer}`),
  );
  const asked = [
    ...session.messages.filter(({ from }) => from === 'planner').map(({ text }) => text),
    ...(context?.facts ?? []).map(({ question }) => question),
  ];
  const questions = buildQuestions(scene);
  const isAsked = (text: string): boolean => asked.some((message) => message.includes(text));
  const facts = answers
    .filter(({ question, answer }) => !known.has(`${question}\n${answer}`))
    .map(({ question, answer }) => ({
      question: question.slice(0, 1_000),
      answer: answer.slice(0, 1_000),
      is_assumed: false,
    }));
  // A question is asked once. If the answer left it open, its assumption counts.
  const assumed = questions
    .filter(({ text }) => isAsked(text) && context?.facts.every(({ question }) => question !== text) !== false)
    .map(({ text, assumption }) => ({ question: text, answer: assumption, is_assumed: true }));
  const open = questions.filter(({ text }) => !isAsked(text)).map((question) => ({ ...question }));
  // What the goal said about dates was said on another day, and is in the context that the session took over.
  const { start, end } = session.continues ? (conversation.requested?.dates ?? {}) : goal.dates;
  return {
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    ...readCircumstanceArguments(goal, context),
    ...(buildCapacity(goal, context, draft.frame) as JsonObject),
    ...(facts.length + assumed.length > 0 && { facts: [...facts, ...assumed] }),
    ...(open.length > 0 && { questions: open }),
    confidence,
  };
}
