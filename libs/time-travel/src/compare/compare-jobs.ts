import type { Completion, Failure, Fork, Spending } from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import { toCanonicalJson } from '@phaseline/basics';
import type { JobId } from '@phaseline/contracts';
import { Lineage } from '@phaseline/repository';
import { diffFiles, subtractSpending, type FileChanges } from '../diff/diff-jobs.js';
import type { JobAt, TimeTravel } from '../view/time-travel.js';
import { readComparableEvents, type ComparableEvent } from './comparable-events.js';

/** Result of one of the compared jobs, or its state so far. */
interface JobOutcome {
  readonly jobId: JobId;
  readonly status: string;
  readonly agent: string;
  readonly phaseCount: number;
  readonly usage: Spending;
  readonly fileCount: number;
  readonly result?: Completion;
  readonly failure?: Failure;
  readonly fork?: Fork;
}

/** The first difference between two jobs. A side is absent when its job has no further events. */
interface FirstDifference {
  readonly phase: number;
  readonly step: number;
  readonly left?: ComparableEvent;
  readonly right?: ComparableEvent;
}

export interface JobComparison {
  readonly left: JobOutcome;
  readonly right: JobOutcome;
  /** Spending of the right job minus that of the left job. */
  readonly usageChange: Spending;
  /** Changes from the left job's files to the right job's. */
  readonly files: FileChanges;
  readonly hasSameFiles: boolean;
  readonly firstDifference?: FirstDifference;
}

/**
 * Compares two jobs in their current state, usually a job and its fork. Returns `undefined` when one of them does not
 * exist.
 */
export async function compareJobs(
  parts: { readonly travel: TimeTravel; readonly store: Pick<EventLog, 'read' | 'readAt' | 'iterate'> },
  leftId: JobId,
  rightId: JobId,
): Promise<JobComparison | undefined> {
  const { travel, store } = parts;
  const [left, right] = [await travel.at(leftId), await travel.at(rightId)];
  if (!left || !right) return undefined;
  const files = diffFiles(left.files, right.files);
  const first = await findFirstDifference(store, left, right);
  return {
    left: outcomeOf(left),
    right: outcomeOf(right),
    usageChange: subtractSpending(right.spending, left.spending),
    files,
    hasSameFiles: files.added.length + files.removed.length + files.changed.length === 0,
    ...(first ? { firstDifference: first } : {}),
  };
}

function outcomeOf({ job, spending, files }: JobAt): JobOutcome {
  const { submitted, status, definition, phases, completion, failure, fork } = job;
  return {
    jobId: submitted.jobId,
    status,
    agent: definition.agent.name,
    phaseCount: phases,
    usage: spending,
    fileCount: Object.keys(files).length,
    ...(completion ? { result: completion } : {}),
    ...(failure ? { failure } : {}),
    ...(fork ? { fork } : {}),
  };
}

async function findFirstDifference(
  store: Pick<EventLog, 'read' | 'readAt' | 'iterate'>,
  left: JobAt,
  right: JobAt,
): Promise<FirstDifference | undefined> {
  const lineage = new Lineage(store);
  const [leftId, rightId] = [left.job.submitted.jobId, right.job.submitted.jobId];
  for (let phase = 1; phase <= Math.max(left.job.phases, right.job.phases); phase += 1) {
    const leftEvents = readComparableEvents(lineage.iteratePhaseEvents(leftId, phase));
    const rightEvents = readComparableEvents(lineage.iteratePhaseEvents(rightId, phase));
    for (;;) {
      const [one, other] = [(await leftEvents.next()).value, (await rightEvents.next()).value];
      if (!one && !other) break;
      if (one && other && isSameEvent(one, other)) continue;
      return {
        phase,
        step: one?.step ?? other?.step ?? 0,
        ...(one ? { left: one } : {}),
        ...(other ? { right: other } : {}),
      };
    }
  }
  return undefined;
}

function isSameEvent(left: ComparableEvent, right: ComparableEvent): boolean {
  return (
    left.position === right.position ||
    (left.type === right.type && toCanonicalJson(left.content) === toCanonicalJson(right.content))
  );
}
