import type { JsonObject, JsonValue } from '@phaseline/basics';
import { ToolError } from '@phaseline/contracts';
import { ASK_PERSON, findQuestionProblem, getAdmittedCall, parseDeadline, type CallQuestion } from '@phaseline/domain';
import { peopleSpec } from '@phaseline/pack-specs';
import { implementPack, type InlineToolOutcome, type ToolRun } from '@phaseline/tools';

const askPerson: ToolRun<typeof peopleSpec, typeof ASK_PERSON> = async (
  { state, callId, now },
  { question, options, schema, deadline, default: fallback },
) => {
  const { question: asked } = getAdmittedCall(state.calls, callId);
  if (asked) return reportEnd(asked);
  const text = {
    question,
    ...(options ? { options } : {}),
    // Arguments are parsed from JSON.
    ...(schema ? { schema: schema as JsonObject } : {}),
    ...(fallback === undefined ? {} : { default: fallback as JsonValue }),
  };
  const problem = findQuestionProblem(text);
  if (problem !== undefined) throw new ToolError('bad_question', `Not asked: ${problem}`);
  const deadlineAt = parseDeadline(deadline, now);
  if ('problem' in deadlineAt) throw new ToolError('bad_question', `Not asked: ${deadlineAt.problem}`);
  return { content: '', question: { ...text, deadlineAt } };
};

function reportEnd({ end, default: fallback }: CallQuestion): InlineToolOutcome {
  if (end?.kind === 'answered') return { content: `${end.actor} answered: ${renderValue(end.answer)}` };
  if (fallback !== undefined)
    return { content: `Nobody answered before the deadline, so the default applies: ${renderValue(fallback)}` };
  throw new ToolError(
    'question_timed_out',
    'Nobody answered before the deadline. Decide yourself and note your assumption, or work on what does not need the answer.',
  );
}

function renderValue(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Tool that asks a person. */
export const peoplePack = implementPack(peopleSpec, { [ASK_PERSON]: askPerson });
