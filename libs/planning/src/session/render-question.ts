import { assertNever } from '@phaseline/basics';
import type { PendingQuestion } from './pending-question.js';

/** Options that a person chooses from, in the order in which they are shown; none if the answer is free text. */
export function listAnswerOptions(pending: PendingQuestion): readonly string[] | undefined {
  switch (pending.kind) {
    case 'proposal':
      return ['approve', 'refuse', 'stop'];
    case 'fixes':
      return ['apply', 'stop'];
    case 'budget':
      return ['continue', 'stop'];
    case 'infeasible':
      return pending.choices.length === 0 ? undefined : [...pending.choices.map(({ id }) => id), 'stop'];
    case 'option':
      return [...pending.choices.map(({ id }) => id), 'stop'];
    case 'facts':
    case 'invalid':
    case 'uncertain':
    case 'no_response':
      return undefined;
    default:
      return assertNever(pending);
  }
}

/** Writes what a plan waits for as a message with one call to action. */
export function renderQuestion(pending: PendingQuestion): string {
  const { lines, callToAction } = describe(pending);
  return [...lines, '', callToAction].join('\n');
}

interface Message {
  readonly lines: readonly string[];
  readonly callToAction: string;
}

function describe(pending: PendingQuestion): Message {
  switch (pending.kind) {
    case 'facts':
      return { lines: number(pending.questions), callToAction: "Reply with your answers, or with 'stop'." };
    case 'invalid':
      return {
        lines: [`The ${pending.stage} is not valid yet:`, ...list(pending.problems)],
        callToAction: "Reply with what to change, or with 'stop'.",
      };
    case 'uncertain':
      return {
        lines: [pending.reason],
        callToAction: "Reply with what would help, such as a date or an amount, or with 'stop'.",
      };
    case 'proposal':
      return {
        lines: [`A new pattern is proposed: ${pending.rfcText}`, `Otherwise ${pending.nearest} is used.`],
        callToAction: "Reply 'approve', 'refuse' or 'stop'.",
      };
    case 'option':
      return {
        lines: ['Choose one of these:', ...pending.choices.map(({ id, title }) => `${id}: ${title}`)],
        callToAction: `Reply with ${quote(pending.choices.map(({ id }) => id))} or 'stop'.`,
      };
    case 'fixes':
      return {
        lines: ['These changes are suggested:', ...list(pending.fixes)],
        callToAction: "Reply 'apply' or 'stop'.",
      };
    case 'infeasible':
      return describeInfeasible(pending);
    case 'no_response':
      return {
        lines: ['The request for approval has expired, and a new one is open.'],
        callToAction: "Reply 'approve' or 'propose changes: …'.",
      };
    case 'budget':
      return {
        lines: [
          pending.summary ??
            (pending.code === 'daily_cap'
              ? 'The budget of the day is used up.'
              : 'This turn has cost more than planned.'),
        ],
        callToAction: "Reply 'continue' or 'stop'.",
      };
    default:
      return assertNever(pending);
  }
}

function describeInfeasible({ code, conflict, choices }: Extract<PendingQuestion, { kind: 'infeasible' }>): Message {
  const heading = code === 'infeasible' ? 'The plan does not fit.' : 'No schedule was found within the search limit.';
  if (choices.length === 0)
    return { lines: [heading, conflict], callToAction: "Reply with what may change, or with 'stop'." };
  const ways = choices.map(({ id, title }) => `${id}: ${title}`);
  return {
    lines: [heading, conflict, '', 'One of these would help:', ...ways],
    callToAction: `Reply with ${quote(choices.map(({ id }) => id))} or 'stop'.`,
  };
}

function number(texts: readonly string[]): readonly string[] {
  return texts.length === 1 ? texts : texts.map((text, index) => `${index + 1}. ${text}`);
}

function list(texts: readonly string[]): readonly string[] {
  return texts.map((text) => `- ${text}`);
}

function quote(ids: readonly string[]): string {
  return ids.map((id) => `'${id}'`).join(', ');
}
