import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import type { JobId } from '@phaseline/contracts';
import type { EventStore, RecordedEvent } from '@phaseline/event-store';

/** A complete recorded job: every event in order, and the content that the events refer to. */
export interface JobHistory {
  readonly events: readonly RecordedEvent[];
  readonly blobs: ReadonlyMap<string, Buffer>;
}

type Line = { readonly event: RecordedEvent } | { readonly blob: string; readonly base64: string };

/** Reads a job from a log, with large texts in place and all files it ever had. */
export async function readHistory(store: EventStore, jobId: JobId): Promise<JobHistory> {
  const events = await store.readCorrelation(jobId, { texts: 'whole' });
  const mentionedHashes = JSON.stringify(events).match(/\b[0-9a-f]{64}\b/g) ?? [];
  const hashes = [...(await store.blobs.has([...new Set(mentionedHashes)]))].sort();
  const blobs = new Map<string, Buffer>();
  for (const hash of hashes) blobs.set(hash, (await store.blobs.get(hash))!);
  return { events, blobs };
}

/** Renders a history as one JSON document per line: the events in order, then the blobs. */
export function renderHistory({ events, blobs }: JobHistory): string {
  const lines: Line[] = [
    ...events.map((event) => ({ event })),
    ...[...blobs].map(([blob, content]) => ({ blob, base64: content.toString('base64') })),
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Loads a recorded history from its file. */
export async function loadHistory(file: URL): Promise<JobHistory> {
  const text = gunzipSync(await readFile(file)).toString('utf8');
  const lines = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
  return {
    events: lines.flatMap((line) => ('event' in line ? [line.event] : [])),
    blobs: new Map(lines.flatMap((line) => ('blob' in line ? [[line.blob, Buffer.from(line.base64, 'base64')]] : []))),
  };
}
