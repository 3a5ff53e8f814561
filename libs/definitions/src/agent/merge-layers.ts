import { InvalidDefinitions, type Complaint } from '../definition-errors.js';
import type { YamlDocument } from '../yaml/parse-yaml.js';

/** Where a value was written. */
interface Source {
  readonly document: YamlDocument;
  readonly path: readonly PropertyKey[];
}

/** A value that knows of each of its parts which file said it. */
type Part =
  | { readonly kind: 'map'; readonly entries: Map<string, Part>; readonly source: Source }
  | { readonly kind: 'list'; readonly items: readonly Part[]; readonly source: Source }
  | { readonly kind: 'scalar'; readonly value: unknown; readonly source: Source };

export interface Merged {
  readonly value: unknown;
  /** A complaint in the file that said what stands at the path. */
  complain: YamlDocument['complain'];
}

/** A key that ends so adds to the list of the same name without it. */
const ADDS = '+';

/**
 * Documents laid over one another, the first one lowest: maps are merged key by key, everything else is replaced, `key+` adds
 * to a list, and an empty value takes back what lay below it. `without` are top-level keys that are left out.
 * Throws InvalidDefinitions where something is added to what is no list.
 */
export function mergeLayers(
  layers: readonly { readonly document: YamlDocument; readonly without: readonly string[] }[],
): Merged {
  const complaints: Complaint[] = [];
  let root: Part | undefined;
  for (const { document, without } of layers) {
    const part = partOf(document.value, { document, path: [] });
    if (part.kind === 'map') for (const key of without) part.entries.delete(key);
    root = lay(part, root, complaints);
  }
  if (complaints.length > 0) throw new InvalidDefinitions(complaints);
  return {
    value: root && valueOf(root),
    complain: (path, message, atKey) => {
      const { source, found } = locate(root!, path);
      return source.document.complain(source.path, message, atKey && found);
    },
  };
}

function partOf(value: unknown, source: Source): Part {
  const inner = (key: PropertyKey): Source => ({ document: source.document, path: [...source.path, key] });
  if (Array.isArray(value)) return { kind: 'list', items: value.map((item, i) => partOf(item, inner(i))), source };
  if (typeof value !== 'object' || value === null) return { kind: 'scalar', value, source };
  const entries = Object.entries(value).map(([key, item]) => [key, partOf(item, inner(key))] as const);
  return { kind: 'map', entries: new Map(entries), source };
}

function lay(over: Part, under: Part | undefined, complaints: Complaint[]): Part {
  if (over.kind !== 'map') return over;
  const entries = new Map(under?.kind === 'map' ? under.entries : []);
  for (const [key, part] of over.entries) {
    if (isAddition(key)) continue;
    const below = entries.get(key);
    if (part.kind === 'scalar' && part.value === null && below) entries.delete(key);
    else entries.set(key, lay(part, below, complaints));
  }
  for (const [key, part] of over.entries) {
    if (!isAddition(key)) continue;
    const name = key.slice(0, -ADDS.length);
    const below = entries.get(name);
    const wrong =
      part.kind !== 'list' ? 'expected a list' : below && below.kind !== 'list' ? `'${name}' is no list` : undefined;
    if (wrong !== undefined || part.kind !== 'list') {
      const { document, path } = part.source;
      complaints.push(document.complain(path, `${path.join('.')}: cannot add to '${name}': ${wrong}`));
      continue;
    }
    const items = [...(below?.kind === 'list' ? below.items : []), ...part.items];
    entries.set(name, { kind: 'list', items, source: part.source });
  }
  return { kind: 'map', entries, source: over.source };
}

function isAddition(key: string): boolean {
  return key.length > ADDS.length && key.endsWith(ADDS);
}

function valueOf(part: Part): unknown {
  if (part.kind === 'scalar') return part.value;
  if (part.kind === 'list') return part.items.map(valueOf);
  return Object.fromEntries([...part.entries].map(([key, item]) => [key, valueOf(item)]));
}

/** The deepest part on the way that somebody wrote. */
function locate(root: Part, path: readonly PropertyKey[]): { readonly source: Source; readonly found: boolean } {
  let part = root;
  for (const key of path) {
    const next: Part | undefined =
      part.kind === 'list' ? part.items[Number(key)] : part.kind === 'map' ? part.entries.get(String(key)) : undefined;
    if (!next) return { source: part.source, found: false };
    part = next;
  }
  return { source: part.source, found: true };
}
