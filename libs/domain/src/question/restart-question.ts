import type { CallQuestion } from '../phase/state/calls.js';

/** Asks a question again at another time: it may be answered for as long as before. */
export function restartQuestion(question: CallQuestion, askedAt: string): CallQuestion {
  const waitMs = Date.parse(question.deadlineAt) - Date.parse(question.askedAt);
  return { ...question, askedAt, deadlineAt: new Date(Date.parse(askedAt) + waitMs).toISOString() };
}
