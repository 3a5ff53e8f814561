import { z } from 'zod';

const answerSchema = z.object({ objection: z.boolean(), reason: z.string().default('') });

export interface JudgeAnswer {
  readonly verdict: 'no-objection' | 'objection' | 'unreadable';
  /** What is wrong; empty if the judge has no objection. */
  readonly reason: string;
}

/** Maximum length of a reason, in characters. */
const MAX_REASON_CHARACTERS = 500;

/**
 * Reads the answer of a judge: a JSON object with `objection` and `reason`, alone or between other text. An answer that cannot be read
 * is no acceptance.
 */
export function readJudgeAnswer(content: string): JudgeAnswer {
  const begin = content.indexOf('{');
  const end = content.lastIndexOf('}');
  const answer = begin < 0 || end < begin ? undefined : parseAnswer(content.slice(begin, end + 1));
  if (!answer) return { verdict: 'unreadable', reason: 'the answer of the judge cannot be read' };
  const reason = answer.reason.trim().slice(0, MAX_REASON_CHARACTERS).toWellFormed();
  if (!answer.objection) return { verdict: 'no-objection', reason };
  return { verdict: 'objection', reason: reason === '' ? 'the judge objects and gives no reason' : reason };
}

function parseAnswer(text: string): z.infer<typeof answerSchema> | undefined {
  try {
    return answerSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
