import type { InboxItem } from '@phaseline/client';
import type { CallId } from '@phaseline/contracts';
import { UsageError } from '../command/command-errors.js';
import type { CommandContext } from '../command/command-context.js';
import type { ExitCode } from '../command/exit-code.js';
import { connectToJob } from '../connection/find-job.js';
import { control } from '../control/control.js';
import { findInboxItem, NO_VERSION } from './find-inbox-item.js';

export interface AnswerOptions {
  readonly questionHash?: string;
}

/** `phaseline answer`: answers the question that a call asks now. */
export async function answer(
  context: CommandContext,
  job: string,
  callId: CallId,
  given: string,
  { questionHash }: AnswerOptions,
): Promise<ExitCode> {
  const { client, jobId } = await connectToJob(context, job);
  const item = await findInboxItem(client, jobId, callId, 'question', context.signal);
  if (item && !item.question)
    throw new UsageError(
      `The question of the call ${callId} cannot be read: ${item.unreadableReason ?? 'no reason given'}`,
    );
  return control(
    context,
    'answer',
    [jobId],
    {},
    {
      callId,
      questionHash: questionHash ?? item?.question?.questionHash ?? NO_VERSION,
      answer: toAnswer(item?.question?.schema, given),
    },
  );
}

type Answer = string | number | boolean | null | unknown[] | Record<string, unknown>;

/** An answer to a question with a schema is JSON, or a text if it cannot be read as JSON. */
function toAnswer(schema: NonNullable<InboxItem['question']>['schema'], given: string): Answer {
  if (!schema) return given;
  try {
    return JSON.parse(given) as Answer;
  } catch {
    return given;
  }
}
