import type { PhaseState } from '@phaseline/domain';
import { DuplicateEventId, WrongExpectedVersion } from '@phaseline/event-store';
import type { EventOrigin, JobRepository } from '@phaseline/repository';
import type { BlobReader } from '@phaseline/workspace';
import type { Clock, RecordCallEnd } from '../ports.js';
import { PendingCommit } from '../step/pending-commit.js';
import { deriveEndIds, findOpenCall, type CallRequest } from './call-request.js';

export interface CallEndParts {
  readonly repository: JobRepository;
  readonly blobs: BlobReader;
  readonly clock: Clock;
}

/**
 * Appends the end of a call, which `commit` contains, unless it already has one; returns the state of the phase with its end. When
 * neighbouring calls end at the same time, the version changes and `recordEnd` runs again, so a result is recorded only while its call is open.
 */
export async function appendCallEnd(
  commit: PendingCommit,
  request: CallRequest,
  recordEnd: RecordCallEnd,
  origin: EventOrigin,
  { repository, blobs, clock }: CallEndParts,
): Promise<PhaseState | undefined> {
  for (let pending = commit; ;) {
    const { base, events } = pending;
    try {
      return await repository.appendToPhase(base, events, {
        ...{ origin, blobs: pending.blobs, eventIds: deriveEndIds(events, request) },
      });
    } catch (error) {
      // A process that recorded an end first also shows as a duplicate id.
      if (!(error instanceof WrongExpectedVersion || error instanceof DuplicateEventId)) throw error;
      const current = await repository.loadPhase(request.jobId, request.phase);
      if (!current || !findOpenCall(current, request)) return current;
      if (error instanceof DuplicateEventId) throw error;
      pending = new PendingCommit(current, blobs, clock.now());
      await recordEnd(pending);
    }
  }
}
