import type { AnsweredCall, AnswerEnd, ChatRequest } from '@phaseline/domain';
import type { Roll } from '../simulator/schedule/chance.js';

/** What a model answers with, before it is counted. */
export interface Utterance {
  readonly content?: string;
  readonly calls?: readonly Omit<AnsweredCall, 'id'>[];
  readonly end?: AnswerEnd;
}

/** One way to go wrong. `undefined` where there is no occasion for it. */
export type Habit = (request: ChatRequest, roll: Roll) => Utterance | undefined;

export const parsed = (name: string, value: object = {}): Omit<AnsweredCall, 'id'> => ({
  name,
  arguments: { kind: 'parsed', value: value as never },
});
export const malformed = (name: string, text: string): Omit<AnsweredCall, 'id'> => ({
  name,
  arguments: { kind: 'malformed', text, problem: 'Unexpected end of JSON input' },
});
export const says = (content: string): Utterance => ({ content });
export const doing = (...calls: Omit<AnsweredCall, 'id'>[]): Utterance => ({ calls });

/** How often the model has answered in this phase. */
export function turnOf({ messages }: ChatRequest): number {
  return messages.filter(({ role }) => role === 'assistant').length;
}

export const DELIVERABLE = 'output/report.md';
