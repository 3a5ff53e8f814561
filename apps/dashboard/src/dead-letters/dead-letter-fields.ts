import type { DeadLetterRecord } from '@phaseline/client';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the job that a message concerns, if its payload names one. A payload may be anything. */
export function findJobId({ payload }: Pick<DeadLetterRecord, 'payload'>): string | undefined {
  if (typeof payload !== 'object' || payload === null || !('jobId' in payload)) return undefined;
  const { jobId } = payload;
  return typeof jobId === 'string' && UUID.test(jobId) ? jobId : undefined;
}

/** Returns the ids that are in the list. Others were closed since they were selected. */
export function keepListed(selected: ReadonlySet<string>, rows: readonly { readonly id: string }[]): string[] {
  return rows.filter(({ id }) => selected.has(id)).map(({ id }) => id);
}

/** What became of one of several requests. */
export interface Outcome {
  readonly id: string;
  /** Why the server refused it; missing if it was done. */
  readonly refusal?: string;
}

/** Describes the outcomes of several requests in one sentence: `2 messages sent again, 1 refused`. */
export function summariseOutcomes(outcomes: readonly Outcome[], done: string): string {
  const refused = outcomes.filter(({ refusal }) => refusal !== undefined).length;
  const count = outcomes.length - refused;
  const sentence = `${count} ${count === 1 ? 'message' : 'messages'} ${done}`;
  return refused === 0 ? sentence : `${sentence}, ${refused} refused`;
}
