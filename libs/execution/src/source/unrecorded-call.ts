import { clip, toCanonicalJson } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import {
  chooseUnrecordedPolicy,
  NOT_RECORDED,
  type AdmittedCall,
  type PhaseEvent,
  type PhaseState,
} from '@phaseline/domain';
import { getRunArguments, type NearestCall, type RecordedCall, type Recordings } from '@phaseline/repository';
import { noteGuards } from '@phaseline/tools';
import { InvalidPath, type FileChange } from '@phaseline/workspace';
import type { PendingCommit } from '../step/pending-commit.js';

/** Finds results of other calls of a recording. */
export type OtherCalls = Pick<Recordings, 'findNearestCall'>;

/** How a call without a recorded result ends: its tool runs, or its end is recorded in a commit. */
export type UnrecordedEnd = 'run' | ((commit: PendingCommit) => void);

/** Whether the recording contains a result of a call. A fork that is forked may have had none itself. */
export function hasRecordedResult(
  recorded: RecordedCall | undefined,
): recorded is RecordedCall & { readonly end: NonNullable<RecordedCall['end']> } {
  const end = recorded?.end;
  return end !== undefined && !(end.type === 'ToolCallFailed' && end.data.code === NOT_RECORDED);
}

/** Decides by the setting of the fork how a call ends whose result the recording does not contain. */
export async function decideUnrecorded(
  { start }: PhaseState,
  call: AdmittedCall,
  others: OtherCalls,
): Promise<UnrecordedEnd> {
  const policy = chooseUnrecordedPolicy(start, call);
  if (policy === 'run') return policy;
  const jobId = start.recording?.jobId;
  const nearest = policy === 'nearest' && jobId ? await others.findNearestCall(jobId, call) : undefined;
  return (commit) => {
    const isRepeated = nearest && jobId && repeatNearest(commit, call, jobId, nearest);
    // The phase fails after the calls of this answer if the fork demands it.
    if (!isRepeated) commit.record(buildNotRecorded(call));
  };
}

/**
 * Ends a call with the result of another one, and the files that the other one changed. The model and the log say so. What else the other call
 * recorded, such as a todo that it completed, was not done by this one. Returns false if its files cannot be written here.
 */
function repeatNearest(
  commit: PendingCommit,
  call: AdmittedCall,
  jobId: JobId,
  { phase, call: other, end }: NearestCall,
): boolean {
  try {
    commit.changeFiles(toFileChanges(other.facts), call.callId);
  } catch (error) {
    if (!(error instanceof InvalidPath)) throw error;
    return false;
  }
  const args = clip(toCanonicalJson(getRunArguments(other)), 500);
  const note =
    `[This call was not executed: this job replays a recording, and the recording does not contain it. ` +
    `The result below belongs to another call, with the nearest arguments: ${other.name} ${args}, ${other.callId} in phase ${phase} of job ${jobId}.]`;
  commit.record({
    type: 'ToolCallCompleted',
    data: {
      ...end.data,
      callId: call.callId,
      content: noteGuards(call, `${note}\n\n${end.data.content}`),
      nearest: { jobId, phase, callId: other.callId },
    },
  });
  return true;
}

/** Builds the failure of a call that the recording does not contain. Nothing was run. */
export function buildNotRecorded({ callId, name }: AdmittedCall): PhaseEvent {
  return {
    type: 'ToolCallFailed',
    data: {
      callId,
      code: NOT_RECORDED,
      message: `${name} was not executed: this job replays a recording, and the recording does not contain this call.`,
      attempts: 0,
      durationMs: 0,
    },
  };
}

/** Returns the file changes of a recorded call, to apply them again. Their bytes are already in the database. */
export function toFileChanges(facts: readonly PhaseEvent[]): FileChange[] {
  return facts.flatMap((fact): FileChange[] => {
    if (fact.type === 'FileDeleted') return [{ path: fact.data.path, deleted: true }];
    if (fact.type !== 'FileWritten') return [];
    const { path, hash, size, writtenAt, mode = 'plain', origin } = fact.data;
    return [{ path, stored: { hash, size }, writtenAt, mode, origin }];
  });
}
