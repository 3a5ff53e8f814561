import type { JobId } from '@phaseline/contracts';
import type { Recordings } from '@phaseline/repository';
import type { ResponseSource } from '../ports.js';
import { liveSource } from './live-source.js';
import { replayRemoteCall } from './replay-remote-call.js';

/** Calls the model and runs inline tools, and takes the results of remote calls from the job `recordedJobId`. */
export function createLiveModelSource(recordings: Recordings, recordedJobId: JobId): ResponseSource {
  return {
    ...liveSource,
    runRemoteCall: async (state, call, run) => {
      const recorded = await recordings.findCorrespondingCall(recordedJobId, state, call);
      return replayRemoteCall(state, call, recorded, { others: recordings, run });
    },
  };
}
