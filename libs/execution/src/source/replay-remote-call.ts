import type { AdmittedCall, PhaseEvent, PhaseState } from '@phaseline/domain';
import type { RecordedCall } from '@phaseline/repository';
import type { FileChange } from '@phaseline/workspace';
import type { RemoteRun } from '../ports.js';

/** Ends a remote call as recorded, with the files that it changed in the recording. The tool is not run. */
export function replayRemoteCall(state: PhaseState, call: AdmittedCall, recorded: RecordedCall | undefined): RemoteRun {
  const { callId } = call;
  return {
    state,
    recordEnd: async (commit) => {
      if (!recorded?.end) {
        commit.record(buildNotRecorded(call));
        return;
      }
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

/** Builds the failure of a call that the recording does not contain. Nothing was run. */
export function buildNotRecorded({ callId, name }: AdmittedCall): PhaseEvent {
  return {
    type: 'ToolCallFailed',
    data: {
      callId,
      code: 'not_recorded',
      message: `${name} was not executed: this job replays a recording, and the recording does not contain this call.`,
      attempts: 0,
      durationMs: 0,
    },
  };
}

/** Returns the file changes of a recorded call, to apply them again. Their bytes are already in the database. */
function toFileChanges(facts: readonly PhaseEvent[]): FileChange[] {
  return facts.flatMap((fact): FileChange[] => {
    if (fact.type === 'FileDeleted') return [{ path: fact.data.path, deleted: true }];
    if (fact.type !== 'FileWritten') return [];
    const { path, hash, size, writtenAt, mode = 'plain', origin } = fact.data;
    return [{ path, stored: { hash, size }, writtenAt, mode, origin }];
  });
}
