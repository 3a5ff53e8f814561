import { EVENT_ID, getScalarValue, SCALAR_STYLE, YAMLException, type Event } from 'js-yaml';

/** Location of a value in the text, as offsets. */
export interface Place {
  readonly offset: number;
  /** Offset of the key of the value; in a list, of the value itself. */
  readonly keyOffset: number;
  /** Whether the value is a scalar without quotes. */
  readonly plain: boolean;
  readonly entries: ReadonlyMap<string, Place>;
  readonly items: readonly Place[];
}

interface OpenPlace extends Place {
  readonly entries: Map<string, Place>;
  readonly items: Place[];
  /** Number of values, including this one, with aliases expanded. */
  size: number;
  /** False while the value is being read: an alias to it from within would make it contain itself. */
  closed: boolean;
}

/** Maximum number of values with aliases expanded. No definition is that large, but nested aliases exceed it quickly. */
const MAX_VALUES = 20_000;

/**
 * Maps the values of the first document to their locations. Throws YAMLException for aliases that contain themselves or
 * expand to too many values, before anything is built from the document.
 */
export function mapSource(text: string, events: readonly Event[]): Place | undefined {
  const anchors = new Map<string, OpenPlace>();
  const open: {
    readonly place: OpenPlace;
    readonly mapping: boolean;
    key?: { readonly text: string; readonly offset: number };
  }[] = [];
  let root: OpenPlace | undefined;
  let documents = 0;
  let offset = 0;

  /** Adds a value to the open collection, or keeps it as the key of the next value. */
  const attach = (value: OpenPlace, keyText: string | undefined): OpenPlace => {
    const parent = open.at(-1);
    if (!parent) return (root = value);
    if (!parent.mapping) {
      parent.place.items.push(value);
      return value;
    }
    if (!parent.key) {
      parent.key = { text: keyText ?? '', offset: value.offset };
      return value;
    }
    const placed = { ...value, keyOffset: parent.key.offset };
    parent.place.entries.set(parent.key.text, placed);
    delete parent.key;
    return placed;
  };
  const addSize = (size: number): void => {
    const parent = open.at(-1)?.place;
    if (!parent) return;
    parent.size += size;
    if (parent.size > MAX_VALUES)
      YAMLException.throwAt(text, offset, `more than ${MAX_VALUES} values after expanding aliases`);
  };

  for (const event of events) {
    if (event.type === EVENT_ID.DOCUMENT) {
      documents += 1;
      if (documents > 1) break;
    } else if (event.type === EVENT_ID.POP) {
      const closing = open.pop();
      if (!closing) continue;
      closing.place.closed = true;
      addSize(closing.place.size);
    } else if (event.type === EVENT_ID.ALIAS) {
      offset = event.anchorStart;
      const name = text.slice(event.anchorStart, event.anchorEnd);
      const target = anchors.get(name);
      if (!target) YAMLException.throwAt(text, offset, `unidentified alias "${name}"`);
      else if (!target.closed)
        YAMLException.throwAt(text, offset, `alias "${name}" is inside the value that it refers to`);
      else {
        attach({ ...target, offset, keyOffset: offset }, undefined);
        addSize(target.size);
      }
    } else {
      const scalar = event.type === EVENT_ID.SCALAR;
      const start = scalar ? event.valueStart : event.start;
      // An omitted value has the location of its key.
      offset = start >= 0 ? start : (open.at(-1)?.key?.offset ?? offset);
      const plain = scalar && event.style === SCALAR_STYLE.PLAIN;
      const fresh = {
        offset,
        keyOffset: offset,
        plain,
        entries: new Map<string, Place>(),
        items: [],
        size: 1,
        closed: scalar,
      };
      const place = attach(fresh, scalar ? getScalarValue(text, event) : undefined);
      if (event.anchorStart >= 0) anchors.set(text.slice(event.anchorStart, event.anchorEnd), place);
      if (scalar) addSize(1);
      else open.push({ place, mapping: event.type === EVENT_ID.MAPPING });
    }
  }
  return root;
}

/** Finds the deepest location along the path that exists. */
export function findPlace(root: Place | undefined, path: readonly PropertyKey[]): Place | undefined {
  let place = root;
  for (const key of path) {
    const next: Place | undefined = typeof key === 'number' ? place?.items[key] : place?.entries.get(String(key));
    if (!next) break;
    place = next;
  }
  return place;
}

/** Converts an offset to line and column, both from 1. */
export function toLineAndColumn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
