import type { JobId } from '@phaseline/contracts';
import { decodeJobEvent, isEncryptedJob, jobStream, type JobEventData } from '@phaseline/domain';
import type { EventLog } from '@phaseline/event-store';
import { LineageBroken } from '@phaseline/repository';
import { FileHistory, historyTypes } from './file-history.js';

/** A part of the log that a job shares with its forks: the events of one job up to a position, inclusive. */
interface LineageSegment {
  readonly jobId: JobId;
  readonly to: number;
}

export interface JobFileHistory {
  readonly history: FileHistory;
  /** The job and the jobs from which it was forked, oldest first. */
  readonly segments: readonly LineageSegment[];
}

/** How content of a job's events is read. Encrypted members, such as paths, are readable only in the whole event. */
export function getTexts(jobId: JobId): 'whole' | 'preview' {
  return isEncryptedJob(jobId) ? 'whole' : 'preview';
}

/**
 * Reads the versions of all files of a job as of a position; undefined if the job did not exist then. Reads the events of the files
 * and no others: one query for each 500 of them, however many phases there were. Throws LineageBroken.
 */
export async function readFileHistory(
  store: Pick<EventLog, 'readAt' | 'iterateCorrelation'>,
  jobId: JobId,
  to = Number.MAX_SAFE_INTEGER,
): Promise<JobFileHistory | undefined> {
  const segments = await findSegments(store, jobId, to);
  if (!segments) return undefined;
  const history = new FileHistory();
  for (const segment of segments) {
    const range = { to: segment.to, types: historyTypes, texts: getTexts(segment.jobId) };
    for await (const recorded of store.iterateCorrelation(segment.jobId, range)) history.apply(recorded);
  }
  return { history, segments };
}

async function findSegments(
  store: Pick<EventLog, 'readAt'>,
  jobId: JobId,
  to: number,
): Promise<readonly LineageSegment[] | undefined> {
  const first = await store.readAt(jobStream(jobId), 1);
  if (!first || first.position > to) return undefined;
  const own = { jobId, to };
  const event = first.type === 'JobForked' ? decodeJobEvent(first) : undefined;
  if (event?.type !== 'JobForked') return [own];
  await checkParent(store, jobId, event.data);
  const { parent, position } = event.data;
  return [...((await findSegments(store, parent.jobId, position)) ?? []), own];
}

/** Throws LineageBroken if the event from which a fork continues is not the one that the fork names. */
async function checkParent(
  store: Pick<EventLog, 'readAt'>,
  jobId: JobId,
  { parent }: JobEventData<'JobForked'>,
): Promise<void> {
  const last = await store.readAt(jobStream(parent.jobId), parent.version);
  if (last?.hash !== parent.hash) throw new LineageBroken(jobStream(jobId), jobStream(parent.jobId), parent.version);
}
