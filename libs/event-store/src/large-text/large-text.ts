import type { BlobWrite, NewEvent } from '../append/append-types.js';
import { contentHash } from '../blobs/content-hash.js';
import { wellFormedText, type JsonObject, type JsonValue } from '@phaseline/basics';

/**
 * A text inside an event that is longer than this, in UTF-16 code units, is kept as a blob. 16 Ki: larger rows slow the
 * reading of whole jobs down, while nearly every answer of a model stays in its event, where it costs no second look-up.
 */
export const LARGE_TEXT = 16 * 1024;

/** How much of it the event still shows, for whoever reads events without blobs: lists, streams of events, people. */
export const PREVIEW = 1_000;

/**
 * The member of an event's metadata that says which texts of its data are previews. It stands beside the data and not in
 * it, so that nothing a model or a tool writes can pass for a reference.
 */
export const LARGE_TEXTS = '$texts';

/** Where a large text belongs, and where it is kept. */
export interface LargeText {
  /** The way to it through the data: names of members and indexes of lists. */
  readonly at: readonly (string | number)[];
  /** Of the blob: the text in UTF-8. */
  readonly hash: string;
  /** Of the blob, in bytes. */
  readonly size: number;
}

/** The large texts of an event, by its metadata; nothing for nearly every event. */
export function largeTextsOf(metadata: JsonObject): readonly LargeText[] {
  return (metadata[LARGE_TEXTS] as readonly LargeText[] | undefined) ?? [];
}

/** The event with previews in place of its large texts, and the texts as blobs; undefined when it has none. */
export function withoutLargeTexts(
  event: NewEvent,
  limit = LARGE_TEXT,
): { readonly event: NewEvent; readonly blobs: readonly BlobWrite[] } | undefined {
  const found: LargeText[] = [];
  const blobs: BlobWrite[] = [];
  const visit = (value: JsonValue, at: readonly (string | number)[]): JsonValue => {
    if (typeof value === 'string') {
      if (value.length <= limit) return value;
      const content = Buffer.from(wellFormedText(value), 'utf8');
      const hash = contentHash(content);
      found.push({ at, hash, size: content.byteLength });
      blobs.push({ hash, content });
      return preview(value, content.byteLength, hash);
    }
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item, index) => visit(item, [...at, index]));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item, [...at, key])]));
  };
  const data = visit(event.data, []) as JsonObject;
  if (found.length === 0) return undefined;
  const metadata = { ...event.metadata, [LARGE_TEXTS]: found as unknown as JsonValue };
  return { event: { ...event, data, metadata }, blobs };
}

/** The data with its large texts back in their places. `textOf` gives the bytes of a blob. */
export function withLargeTexts(
  data: JsonObject,
  texts: readonly LargeText[],
  textOf: (hash: string) => string,
): JsonObject {
  return texts.reduce<JsonValue>((whole, { at, hash }) => replaced(whole, at, textOf(hash)), data) as JsonObject;
}

function replaced(value: JsonValue, [step, ...rest]: readonly (string | number)[], text: string): JsonValue {
  if (step === undefined) return text;
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, index) => (index === step ? replaced(item, rest, text) : item));
  }
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, item]) => [key, key === step ? replaced(item, rest, text) : item]),
  );
}

/** The beginning of the text, cut between characters, and a word on where the rest is. */
function preview(text: string, size: number, hash: string): string {
  const last = text.charCodeAt(PREVIEW - 1);
  // Not between the two halves of a character.
  const end = last >= 0xd800 && last <= 0xdbff ? PREVIEW - 1 : PREVIEW;
  return `${text.slice(0, end)}… [${size} bytes, blob ${hash}]`;
}
