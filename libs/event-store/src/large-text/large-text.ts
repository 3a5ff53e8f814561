import type { BlobWrite, NewEvent } from '../append/append-types.js';
import { contentHash } from '../blobs/content-hash.js';
import { toWellFormedText, type JsonObject, type JsonValue } from '@phaseline/basics';

/**
 * Length in UTF-16 code units above which a text in an event is stored as a blob. Larger rows slow down reading whole jobs, and with
 * this limit nearly all model responses stay in their event, where they need no second query.
 */
export const LARGE_TEXT_CHARACTERS = 16 * 1024;

/** Number of characters of a large text that stay in the event as a preview. */
const PREVIEW_CHARACTERS = 1_000;

/**
 * Member of the metadata that lists which texts in the data are previews. It is not part of the data, so that text written by a model or
 * a tool cannot be mistaken for a reference.
 */
export const LARGE_TEXTS_KEY = '$texts';

/** Location of a large text in the data, and its blob. */
export interface LargeText {
  /** Path in the data: member names and array indexes. */
  readonly at: readonly (string | number)[];
  /** Content hash of the blob with the text in UTF-8. */
  readonly hash: string;
  /** Size of the blob in bytes. */
  readonly size: number;
}

/** Returns the large texts that the metadata of an event lists; empty for nearly all events. */
export function getLargeTexts(metadata: JsonObject): readonly LargeText[] {
  return (metadata[LARGE_TEXTS_KEY] as readonly LargeText[] | undefined) ?? [];
}

/** Replaces the large texts of an event by previews, and returns the texts as blobs. Returns undefined if there are none. */
export function extractLargeTexts(
  event: NewEvent,
): { readonly event: NewEvent; readonly blobs: readonly BlobWrite[] } | undefined {
  const found: LargeText[] = [];
  const blobs: BlobWrite[] = [];
  const visit = (value: JsonValue, at: readonly (string | number)[]): JsonValue => {
    if (typeof value === 'string') {
      if (value.length <= LARGE_TEXT_CHARACTERS) return value;
      const content = Buffer.from(toWellFormedText(value), 'utf8');
      const hash = contentHash(content);
      found.push({ at, hash, size: content.byteLength });
      blobs.push({ hash, content });
      return createPreview(value, content.byteLength, hash);
    }
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item, index) => visit(item, [...at, index]));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visit(item, [...at, key])]));
  };
  const data = visit(event.data, []) as JsonObject;
  if (found.length === 0) return undefined;
  // Interfaces have no index signature, so TypeScript does not see that they are JSON.
  const metadata = { ...event.metadata, [LARGE_TEXTS_KEY]: found as unknown as JsonValue };
  return { event: { ...event, data, metadata }, blobs };
}

/** Replaces the previews in the data by the large texts. `textOf` returns the text of a blob. */
export function insertLargeTexts(
  data: JsonObject,
  texts: readonly LargeText[],
  textOf: (hash: string) => string,
): JsonObject {
  return texts.reduce<JsonValue>((whole, { at, hash }) => replaceText(whole, at, textOf(hash)), data) as JsonObject;
}

function replaceText(value: JsonValue, [step, ...rest]: readonly (string | number)[], text: string): JsonValue {
  if (step === undefined) return text;
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).map((item, index) =>
      index === step ? replaceText(item, rest, text) : item,
    );
  }
  return Object.fromEntries(
    Object.entries(value as JsonObject).map(([key, item]) => [
      key,
      key === step ? replaceText(item, rest, text) : item,
    ]),
  );
}

/** Creates a preview: the beginning of the text, with its size and blob. */
function createPreview(text: string, size: number, hash: string): string {
  const last = text.charCodeAt(PREVIEW_CHARACTERS - 1);
  // Do not split a surrogate pair.
  const end = last >= 0xd800 && last <= 0xdbff ? PREVIEW_CHARACTERS - 1 : PREVIEW_CHARACTERS;
  return `${text.slice(0, end)}… [${size} bytes, blob ${hash}]`;
}
