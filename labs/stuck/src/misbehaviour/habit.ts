import type { JsonObject } from '@phaseline/basics';
import type { AnsweredCall, AnswerEnd, ChatRequest } from '@phaseline/contracts';
import type { Roll } from '@phaseline/harness';

/** An answer of a model, without usage. */
export interface Utterance {
  readonly content?: string;
  readonly calls?: readonly Omit<AnsweredCall, 'id'>[];
  readonly end?: AnswerEnd;
}

/** One kind of misbehaviour. Returns `undefined` if it does not apply to the request. */
export type Habit = (request: ChatRequest, roll: Roll) => Utterance | undefined;

export const parsedCall = (name: string, value: JsonObject = {}): Omit<AnsweredCall, 'id'> => ({
  name,
  arguments: { kind: 'parsed', value },
});
export const malformedCall = (name: string, text: string): Omit<AnsweredCall, 'id'> => ({
  name,
  arguments: { kind: 'malformed', text, problem: 'Unexpected end of JSON input' },
});
export const answerText = (content: string): Utterance => ({ content });
export const answerCalls = (...calls: Omit<AnsweredCall, 'id'>[]): Utterance => ({ calls });
export const answerCall = (name: string, value?: JsonObject): Utterance => answerCalls(parsedCall(name, value));

/** Counts the answers of the model so far in this phase. */
export function countAnswers({ messages }: ChatRequest): number {
  return messages.filter(({ role }) => role === 'assistant').length;
}

export const DELIVERABLE = 'output/report.md';
