import {
  addUnconfirmed,
  NOTHING_UNCONFIRMED,
  type ChildJob,
  type JobState,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';

/** Folder of a child job whose files the parent gets. */
const OUTPUT = 'output/';
const MAX_FILES = 50;
/** Average number of characters per token, to bound a summary without a tokenizer. */
const CHARACTERS_PER_TOKEN = 4;

/** What is recorded at the end of a child job, and the files that the parent gets. */
export interface ChildEnd {
  readonly end: Extract<PhaseEvent, { type: 'ChildJobEnded' }>['data'];
  readonly files: readonly { readonly path: string; readonly hash: string }[];
}

/** Builds the end of a child job as its parent records it. `last` is the last phase of the child job, which has its files. */
export function buildChildEnd(callId: string, child: ChildJob, job: JobState, last: PhaseState | undefined): ChildEnd {
  const outcome = job.status === 'completed' || job.status === 'cancelled' ? job.status : 'failed';
  const all =
    outcome === 'completed' ? Object.entries(last?.tree ?? {}).filter(([path]) => path.startsWith(OUTPUT)) : [];
  const files = all
    .slice(0, MAX_FILES)
    .map(([path, { hash, size }]) => ({ path: path.slice(OUTPUT.length), hash, size }));
  const summary = describe(job).slice(0, child.maxTokens * CHARACTERS_PER_TOKEN);
  return {
    end: {
      ...{ callId, childJobId: job.submitted.jobId, outcome, summary: summary.toWellFormed() },
      ...(job.failure ? { code: job.failure.code } : {}),
      ...{ files, omittedFiles: all.length - files.length, reserved: child.reserved },
      spending: job.spending,
      unconfirmed: addUnconfirmed(NOTHING_UNCONFIRMED, job.unconfirmed),
    },
    files,
  };
}

function describe({ status, completion, failure, cancelRequested }: JobState): string {
  if (status === 'completed' && completion) {
    const { summary, notes, confidence } = completion;
    return [summary, ...(notes ? [notes] : []), `Confidence: ${confidence}.`].join('\n');
  }
  return failure?.message ?? cancelRequested?.reason ?? 'It ended without a result.';
}
