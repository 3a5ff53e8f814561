import { InvalidDefinitions, type DefinitionProblem } from '../definition-errors.js';
import type { YamlDocument } from '../yaml/parse-yaml.js';

/** Location where a value was written. */
interface Source {
  readonly document: YamlDocument;
  readonly path: readonly PropertyKey[];
}

/** A value in which every part knows the file that contains it. */
type Part =
  | { readonly kind: 'map'; readonly entries: Map<string, Part>; readonly source: Source }
  | { readonly kind: 'list'; readonly items: readonly Part[]; readonly source: Source }
  | { readonly kind: 'scalar'; readonly value: unknown; readonly source: Source };

export interface MergedLayers {
  readonly value: unknown;
  /** Reports a problem in the file that contains the value at the path. */
  problemAt: YamlDocument['problemAt'];
}

/** Suffix of a key that adds to the list with the same name without it. */
const ADDITION_SUFFIX = '+';

/**
 * Merges documents, later ones over earlier ones: maps are merged key by key, everything else is replaced, `key+` adds to a
 * list, and an empty value removes the inherited one. `without` lists top-level keys to leave out. Throws InvalidDefinitions
 * if something is added to a value that is not a list.
 */
export function mergeLayers(
  layers: readonly { readonly document: YamlDocument; readonly without: readonly string[] }[],
): MergedLayers {
  const problems: DefinitionProblem[] = [];
  let root: Part | undefined;
  for (const { document, without } of layers) {
    const part = buildPart(document.value, { document, path: [] });
    if (part.kind === 'map') for (const key of without) part.entries.delete(key);
    root = mergePart(part, root, problems);
  }
  if (problems.length > 0) throw new InvalidDefinitions(problems);
  return {
    value: root && toValue(root),
    problemAt: (path, message, atKey) => {
      const { source, found } = locate(root!, path);
      return source.document.problemAt(source.path, message, atKey && found);
    },
  };
}

function buildPart(value: unknown, source: Source): Part {
  const inner = (key: PropertyKey): Source => ({ document: source.document, path: [...source.path, key] });
  if (Array.isArray(value)) return { kind: 'list', items: value.map((item, i) => buildPart(item, inner(i))), source };
  if (typeof value !== 'object' || value === null) return { kind: 'scalar', value, source };
  const entries = Object.entries(value).map(([key, item]) => [key, buildPart(item, inner(key))] as const);
  return { kind: 'map', entries: new Map(entries), source };
}

function mergePart(over: Part, under: Part | undefined, problems: DefinitionProblem[]): Part {
  if (over.kind !== 'map') return over;
  const entries = new Map(under?.kind === 'map' ? under.entries : []);
  for (const [key, part] of over.entries) {
    if (isAddition(key)) continue;
    const below = entries.get(key);
    if (part.kind === 'scalar' && part.value === null && below) entries.delete(key);
    else entries.set(key, mergePart(part, below, problems));
  }
  for (const [key, part] of over.entries) {
    if (!isAddition(key)) continue;
    const name = key.slice(0, -ADDITION_SUFFIX.length);
    const below = entries.get(name);
    const wrong =
      part.kind !== 'list' ? 'expected a list' : below && below.kind !== 'list' ? `'${name}' is not a list` : undefined;
    if (wrong !== undefined || part.kind !== 'list') {
      const { document, path } = part.source;
      problems.push(document.problemAt(path, `${path.join('.')}: cannot add to '${name}': ${wrong}`));
      continue;
    }
    const items = [...(below?.kind === 'list' ? below.items : []), ...part.items];
    entries.set(name, { kind: 'list', items, source: part.source });
  }
  return { kind: 'map', entries, source: over.source };
}

function isAddition(key: string): boolean {
  return key.length > ADDITION_SUFFIX.length && key.endsWith(ADDITION_SUFFIX);
}

function toValue(part: Part): unknown {
  if (part.kind === 'scalar') return part.value;
  if (part.kind === 'list') return part.items.map(toValue);
  return Object.fromEntries([...part.entries].map(([key, item]) => [key, toValue(item)]));
}

/** Finds the deepest part along the path that exists in a file. */
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
