import type { AdmittedCall, PhaseEvent, PhaseState } from '@phaseline/domain';
import type { RecordedCall } from '@phaseline/repository';
import type { RemoteRun } from '../ports.js';
import { decideUnrecorded, hasRecordedResult, toFileChanges, type OtherCalls } from './unrecorded-call.js';

/** Where a remote call gets its result from if the recording has none. */
interface Unrecorded {
  readonly others: OtherCalls;
  readonly run: () => Promise<RemoteRun>;
}

/** Ends a remote call as recorded, with the files that it changed in the recording. The tool runs only if the fork demands it. */
export async function replayRemoteCall(
  state: PhaseState,
  call: AdmittedCall,
  recorded: RecordedCall | undefined,
  { others, run }: Unrecorded,
): Promise<RemoteRun> {
  if (!hasRecordedResult(recorded)) {
    const end = await decideUnrecorded(state, call, others);
    return end === 'run' ? run() : { state, recordEnd: async (commit) => end(commit) };
  }
  const { callId } = call;
  return {
    state,
    recordEnd: async (commit) => {
      // The corresponding call of the recording may have another id.
      for (const fact of recorded.facts)
        if (isFactOfCommand(fact)) commit.record({ ...fact, data: { ...fact.data, callId } } as PhaseEvent);
      commit.changeFiles(toFileChanges(recorded.facts), callId);
      commit.record({ ...recorded.end, data: { ...recorded.end.data, callId } } as PhaseEvent);
    },
  };
}

function isFactOfCommand({ type }: PhaseEvent): boolean {
  return (
    type === 'CommandStopped' ||
    type === 'ConnectionRecorded' ||
    type === 'ProtectedChangeUndone' ||
    // About a file that the command changed.
    type === 'GuardDecided'
  );
}
