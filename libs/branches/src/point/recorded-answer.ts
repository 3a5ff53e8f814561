import type { JsonObject } from '@phaseline/basics';
import { toCanonicalJson } from '@phaseline/basics';

/** What a model asked for: tools and their arguments, in order. */
export type AnswerCalls = readonly { readonly name: string; readonly arguments: JsonObject }[];

/** An answer of the model in a recorded job. */
export interface RecordedAnswer {
  readonly phase: number;
  readonly step: number;
  /** Position of the answer in the log. */
  readonly position: number;
  /**
   * Position at which its call began, which is the last of its commit. The open call does not belong to a branch from there, so a branch is asked for this
   * answer first, and everything that the answers before it led to has happened.
   */
  readonly before: number;
  readonly calls: AnswerCalls;
}

/** The part of a recorded event that answers are read from. */
export interface AnswerEvent {
  readonly position: number;
  readonly streamId: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Types of the events that `readAnswers` reads. */
export const answerEventTypes = ['ModelCallStarted', 'ModelResponded'] as const;

/** Lists the answers of a job from its events, in the order of the log. */
export function readAnswers(events: Iterable<AnswerEvent>): readonly RecordedAnswer[] {
  const answers: RecordedAnswer[] = [];
  /** Where the first call for the next answer began. A call that failed is made again. */
  let startedAt: number | undefined;
  for (const { position, streamId, type, data } of events) {
    if (type === 'ModelCallStarted') startedAt ??= position;
    if (type !== 'ModelResponded' || startedAt === undefined) continue;
    const { step, calls } = data as { readonly step: number; readonly calls?: AnswerCalls };
    answers.push({
      phase: Number(/-(\d+)$/.exec(streamId)?.[1]),
      step,
      position,
      before: startedAt,
      calls: (calls ?? []).map(({ name, arguments: args }) => ({ name, arguments: args })),
    });
    startedAt = undefined;
  }
  return answers;
}

/** Whether two answers ask for the same calls in the same order. What they say beside is not compared. */
export function hasSameCalls(left: AnswerCalls, right: AnswerCalls): boolean {
  return left.length === right.length && left.every((one, index) => describe(one) === describe(right[index]!));
}

function describe({ name, arguments: args }: AnswerCalls[number]): string {
  return `${name} ${toCanonicalJson(args)}`;
}
