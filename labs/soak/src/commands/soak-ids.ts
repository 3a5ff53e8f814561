import type { EventId, JobId, StreamId } from '@phaseline/contracts';
import { jobStream, phaseStream } from '@phaseline/domain';
import { SeededRandom } from '@phaseline/harness';

/*
 * Ids encode numbers, so that events in the log can be compared with the journals of the writers without further communication.
 */

/** Number of phases per job that receive events. */
export const PHASES_PER_JOB = 3;
const STREAMS_PER_JOB = PHASES_PER_JOB + 1;

/** Writer number in the ids of events that every writer sends. */
export const ANY_WRITER = 0xfff;

export function createSoakJobId(seed: number, job: number): JobId {
  return new SeededRandom(seed * 10_000_019 + job).uuid();
}

/** Returns the id of event number `sequence` of a writer. */
export function createSoakEventId(writer: number, sequence: number): EventId {
  const w = writer.toString(16).padStart(3, '0');
  return `50a60000-0000-4000-8${w}-${sequence.toString(16).padStart(12, '0')}`;
}

/** Parses an event id; `undefined` if no soak writer created it. */
export function parseSoakEventId(eventId: EventId): { readonly writer: number; readonly sequence: number } | undefined {
  const [, writer, sequence] = /^50a60000-0000-4000-8([0-9a-f]{3})-([0-9a-f]{12})$/.exec(eventId) ?? [];
  if (writer === undefined || sequence === undefined) return undefined;
  return { writer: Number.parseInt(writer, 16), sequence: Number.parseInt(sequence, 16) };
}

/** Returns the number of a stream; phase 0 stands for the job stream. */
export function toStreamNumber(job: number, phase: number): number {
  return job * STREAMS_PER_JOB + phase;
}

export function createSoakStreamId(seed: number, stream: number): StreamId {
  const jobId = createSoakJobId(seed, Math.floor(stream / STREAMS_PER_JOB));
  const phase = stream % STREAMS_PER_JOB;
  return phase === 0 ? jobStream(jobId) : phaseStream(jobId, phase);
}
