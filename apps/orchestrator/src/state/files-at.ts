import { decodeJobEvent, decodePhaseEvent, foldPhase, parseStreamName, type JobEventData } from '@phaseline/domain';
import type { EventStore } from '@phaseline/event-store';

/** All that changes files. Of a phase that talked for hours these are few. */
const FILE_TYPES = ['JobSubmitted', 'PhaseStarted', 'FileWritten', 'FileDeleted'];

/** The files of a job up to and including a position, by path. Undefined when there was no such job then. */
export async function filesAt(
  store: Pick<EventStore, 'readCorrelation'>,
  jobId: string,
  position?: number,
): Promise<JobEventData<'JobSubmitted'>['tree'] | undefined> {
  const events = await store.readCorrelation(jobId, {
    types: FILE_TYPES,
    ...(position === undefined ? {} : { to: position }),
  });
  const [first] = events;
  const submitted = first && parseStreamName(first.streamId)?.kind === 'job' ? decodeJobEvent(first) : undefined;
  if (submitted?.type !== 'JobSubmitted') return undefined;
  // A phase starts with the files that the one before left.
  const lastStart = events.findLastIndex(({ type }) => type === 'PhaseStarted');
  if (lastStart < 0) return submitted.data.tree;
  const { streamId } = events[lastStart]!;
  const phase = events.slice(lastStart).filter((event) => event.streamId === streamId);
  return foldPhase(phase.map(decodePhaseEvent))?.tree;
}
