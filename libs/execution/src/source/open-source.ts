import type { PhaseState } from '@phaseline/domain';
import type { Recordings } from '@phaseline/repository';
import type { ResponseSource } from '../ports.js';
import { createLiveModelSource } from './live-model-source.js';
import { liveSource } from './live-source.js';
import { createOtherContextSource } from './other-context-source.js';
import { isShortenedAsRecorded } from './recorded-shortening.js';
import { createRecordedSource } from './recorded-source.js';

/** Chooses the source of a phase by the mode of its fork. Phases of jobs that are not forks run live. */
export async function openSource(recordings: Recordings, { start }: PhaseState): Promise<ResponseSource> {
  const { identity, recording } = start;
  switch (recording?.mode) {
    case undefined:
      return liveSource;
    case 'live-model':
      return createLiveModelSource(recordings, recording.jobId);
    case 'recorded': {
      const recorded = await recordings.loadPhase(recording.jobId, identity.phase);
      return isShortenedAsRecorded(start, recorded)
        ? createRecordedSource(recorded, recordings)
        : createOtherContextSource(recorded, recordings);
    }
  }
}
