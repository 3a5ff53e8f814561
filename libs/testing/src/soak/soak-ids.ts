import { jobStream, phaseStream } from '@phaseline/domain';
import { SeededRandom } from '../bench/seeded-random.js';

/*
 * Everything in a soak has a number, and its id says which: what is found in the log is held against the journals of the
 * writers without a word about it having been exchanged.
 */

/** The phases of a job that are written to. */
export const PHASES = 3;
const STREAMS = PHASES + 1;

/** The writer that stands for all of them in the ids of events that each may send first. */
export const EVERYBODY = 0xfff;

export function soakJobId(seed: number, job: number): string {
  return new SeededRandom(seed * 10_000_019 + job).uuid();
}

/** The event number `sequence` of a writer. */
export function soakEventId(writer: number, sequence: number): string {
  const w = writer.toString(16).padStart(3, '0');
  return `50a60000-0000-4000-8${w}-${sequence.toString(16).padStart(12, '0')}`;
}

/** Undefined for an event that no writer of a soak has made. */
export function parseSoakEventId(eventId: string): { readonly writer: number; readonly sequence: number } | undefined {
  const [, writer, sequence] = /^50a60000-0000-4000-8([0-9a-f]{3})-([0-9a-f]{12})$/.exec(eventId) ?? [];
  if (writer === undefined || sequence === undefined) return undefined;
  return { writer: Number.parseInt(writer, 16), sequence: Number.parseInt(sequence, 16) };
}

/** The number of a job's stream: 0 is the job's own, then its phases. */
export function streamNumber(job: number, phase: number): number {
  return job * STREAMS + phase;
}

export function soakStreamId(seed: number, stream: number): string {
  const jobId = soakJobId(seed, Math.floor(stream / STREAMS));
  const phase = stream % STREAMS;
  return phase === 0 ? jobStream(jobId) : phaseStream(jobId, phase);
}

export function jobOfStream(stream: number): number {
  return Math.floor(stream / STREAMS);
}
