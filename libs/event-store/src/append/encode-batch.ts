import { LARGE_TEXT_CHARACTERS, extractLargeTexts } from '../large-text/large-text.js';
import { toWellFormedJson } from '@phaseline/basics';
import type { EventId, StreamId } from '@phaseline/contracts';
import { boolArray, byteaArray, int4Array, int8Array, textArray, uuidArray } from './binary-array.js';
import { checkJson, type CheckEvent } from './check-event.js';
import type { AppendUnit, BlobWrite, NewEvent } from './append-types.js';

/** Encodes units as the parameters of one phaseline.append call (migrations/000002_append.sql describes them). */
export function encodeBatch(units: readonly EncodedUnit[]): Buffer[] {
  const streams = new Map<StreamId, number>();
  const streamIds: StreamId[] = [];
  const streamCorrelations: string[] = [];
  const appendUnits: number[] = [];
  const appendStreams: number[] = [];
  const expected: number[] = [];
  const eventCounts: number[] = [];
  const closes: boolean[] = [];
  const wakes: boolean[] = [];
  const reopens: boolean[] = [];
  const eventStreams: number[] = [];
  const eventIds: EventId[] = [];
  const types: string[] = [];
  const schemaVersions: number[] = [];
  const data: string[] = [];
  const metadata: string[] = [];
  const blobUnits: number[] = [];
  const blobHashes: Uint8Array[] = [];
  const blobContents: Uint8Array[] = [];

  let unitNumber = 0;
  for (const { unit, texts } of units) {
    unitNumber += 1;
    let text = 0;
    for (const append of unit.appends) {
      let stream = streams.get(append.streamId);
      if (stream === undefined) {
        stream = streamIds.push(append.streamId);
        streamCorrelations.push(append.correlationId);
        streams.set(append.streamId, stream);
      }
      appendUnits.push(unitNumber);
      appendStreams.push(stream);
      expected.push(append.expectedVersion === 'any' ? -1 : append.expectedVersion);
      eventCounts.push(append.events.length);
      closes.push(append.closesStream ?? false);
      wakes.push(append.wake ?? false);
      reopens.push(append.reopensStream ?? false);
      for (const event of append.events) {
        eventStreams.push(stream);
        eventIds.push(event.eventId);
        types.push(event.type);
        schemaVersions.push(event.schemaVersion);
        data.push(texts[text++] as string);
        metadata.push(texts[text++] as string);
      }
    }
    for (const blob of unit.blobs) {
      blobUnits.push(unitNumber);
      blobHashes.push(Buffer.from(blob.hash, 'hex'));
      blobContents.push(blob.content);
    }
  }

  return [
    textArray(streamIds),
    textArray(streamCorrelations),
    int4Array(appendUnits),
    int4Array(appendStreams),
    int8Array(expected),
    int4Array(eventCounts),
    boolArray(closes),
    boolArray(wakes),
    int4Array(eventStreams),
    uuidArray(eventIds),
    textArray(types),
    int4Array(schemaVersions),
    textArray(data),
    textArray(metadata),
    int4Array(blobUnits),
    byteaArray(blobHashes),
    byteaArray(blobContents),
    boolArray(reopens),
  ];
}

export interface EncodedUnit {
  readonly unit: AppendUnit;
  /** JSON of data and metadata of every event, in order: d1, m1, d2, m2, … */
  readonly texts: readonly string[];
}

/**
 * Encodes the events of a unit as JSON and moves their large texts into blobs of the same commit. An event whose JSON is shorter than a
 * large text is not searched. Throws what `check` throws for an event that could not be read back.
 */
export function encodeUnit(unit: AppendUnit, check?: CheckEvent): EncodedUnit {
  const texts: string[] = [];
  const moved: BlobWrite[] = [];
  for (const append of unit.appends) {
    for (const event of append.events) {
      const json = toWellFormedJson(event.data);
      if (check) checkJson(check, append, event, json);
      if (json.length <= LARGE_TEXT_CHARACTERS) {
        texts.push(json, toWellFormedJson(event.metadata));
        continue;
      }
      const { data, metadata, blobs } = moveLargeTexts(event, json);
      // Check the previews as well: lists and subscriptions read them.
      if (check && blobs.length > 0) checkJson(check, append, event, data);
      texts.push(data, toWellFormedJson(metadata));
      moved.push(...blobs);
    }
  }
  return { unit: moved.length === 0 ? unit : { ...unit, blobs: [...unit.blobs, ...moved] }, texts };
}

function moveLargeTexts(
  event: NewEvent,
  json: string,
): { readonly data: string; readonly metadata: NewEvent['metadata']; readonly blobs: readonly BlobWrite[] } {
  const found = extractLargeTexts(event);
  if (!found) return { data: json, metadata: event.metadata, blobs: [] };
  return { data: toWellFormedJson(found.event.data), metadata: found.event.metadata, blobs: found.blobs };
}
