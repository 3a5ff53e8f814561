import type { EventLog, RecordedEvent } from '@phaseline/event-store';
import { MemoryBlobs } from '@phaseline/memory-log';
import type { JobHistory } from './history.js';

/** The methods of the log that only read. */
type HistoryLog = Pick<EventLog, 'read' | 'readAt' | 'iterate' | 'iterateCorrelation' | 'blobs'>;

/** Opens a recorded job as a log that can be read, and nothing be appended to. Its events are those of the recording, with their transactions. */
export function openHistory({ events, blobs }: JobHistory): HistoryLog {
  const contents = new MemoryBlobs();
  for (const [hash, content] of blobs) contents.putUnderHash(hash, content);
  const streams = new Map<string, RecordedEvent[]>();
  for (const event of events) streams.set(event.streamId, [...(streams.get(event.streamId) ?? []), event]);
  const read: EventLog['read'] = async (streamId, { from = 1, to = Infinity, limit = Infinity } = {}) =>
    (streams.get(streamId) ?? []).filter(({ version }) => version >= from && version <= to).slice(0, limit);
  return {
    blobs: contents,
    read,
    readAt: async (streamId, version) => streams.get(streamId)?.find((event) => event.version === version),
    iterate: async function* (streamId, options) {
      yield* await read(streamId, options);
    },
    iterateCorrelation: async function* (correlationId) {
      yield* events.filter((event) => event.correlationId === correlationId);
    },
  };
}
