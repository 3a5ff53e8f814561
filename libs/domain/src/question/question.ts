import { toCanonicalJson, type JsonObject, type JsonValue } from '@phaseline/basics';
import { findSchemaProblem, findViolations } from '@phaseline/checks';
import { z } from 'zod';
import type { CallQuestion } from '../phase/state/calls.js';

/** Name of the tool with which an agent asks a person. */
export const ASK_PERSON = 'ask_person';

/** The parts of a question that its hash covers. */
export type QuestionText = Pick<CallQuestion, 'question' | 'options' | 'schema' | 'default'>;

/** Returns why a question cannot be asked: a schema that cannot be checked, or a default that is not a valid answer. */
export function findQuestionProblem(text: QuestionText): string | undefined {
  if (text.schema && text.options) return 'Give either options or a schema, not both.';
  if (text.schema) {
    const problem = findSchemaProblem(text.schema);
    if (problem !== undefined) return problem;
  }
  const problem = text.default === undefined ? undefined : findAnswerProblem(text, text.default);
  return problem === undefined ? undefined : `The default is not a valid answer: ${problem}`;
}

/** Returns why an answer does not fit the options or the schema of its question; undefined if it fits. */
export function findAnswerProblem({ options, schema }: QuestionText, answer: JsonValue): string | undefined {
  if (options)
    return options.some((option) => option === answer) ? undefined : `expected one of: ${options.join(', ')}`;
  if (!schema)
    return typeof answer === 'string' && answer.trim() === '' ? 'expected a text that is not empty' : undefined;
  const violations = findViolations(schema, answer);
  return violations.length === 0 ? undefined : violations.join('; ');
}

/** Checks a value against a JSON Schema; undefined if the schema cannot be used for a check. */
export function checkAgainstSchema(
  schema: JsonObject,
  value: JsonValue,
): { readonly problem: string | undefined } | undefined {
  return findSchemaProblem(schema) === undefined
    ? { problem: findAnswerProblem({ question: '', schema }, value) }
    : undefined;
}

/** The text whose SHA-256 identifies a question: equal only for questions that ask the same. */
export function toHashedText({ question, options, schema, default: fallback }: QuestionText): string {
  return toCanonicalJson({ question, options, schema, default: fallback });
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** A question waits at most this long. */
const MAX_WAIT_MS = 90 * UNIT_MS.d;

/** Returns the time that a deadline such as `8h`, `2d` or `2030-01-31T09:00:00Z` means, or why it means none. */
export function parseDeadline(text: string, now: Date): Date | { readonly problem: string } {
  const span = /^(\d{1,5})\s*([mhd])$/.exec(text.trim());
  const time = span
    ? now.getTime() + Number(span[1]) * UNIT_MS[span[2] as keyof typeof UNIT_MS]
    : z.iso.datetime({ offset: true }).safeParse(text.trim()).success
      ? Date.parse(text)
      : NaN;
  if (Number.isNaN(time))
    return {
      problem: 'The deadline must be a time span such as 30m, 8h or 2d, or a time such as 2030-01-31T09:00:00Z.',
    };
  if (time <= now.getTime()) return { problem: `The deadline must be in the future. It is now ${now.toISOString()}.` };
  if (time > now.getTime() + MAX_WAIT_MS) return { problem: 'The deadline must be within 90 days.' };
  return new Date(time);
}
