import { UnknownDefinition, type DefinitionKind } from '../definition-errors.js';
import { nearMatches } from './near-matches.js';

/** A definition as it was loaded. */
export interface Loaded<Definition> {
  readonly name: string;
  readonly definition: Definition;
  /** SHA-256, in hex, of its content. Two loads with the same hash mean the same. */
  readonly hash: string;
  readonly file: string;
}

/** The definitions of one kind, by name. */
export class DefinitionSet<Entry extends { readonly name: string }> {
  private readonly byName: ReadonlyMap<string, Entry>;

  constructor(
    readonly kind: DefinitionKind,
    entries: Iterable<Entry>,
  ) {
    this.byName = new Map([...entries].map((entry) => [entry.name, entry]));
  }

  /** In alphabetical order. */
  get names(): readonly string[] {
    return [...this.byName.keys()].sort();
  }

  /** Throws UnknownDefinition, which names the known ones and those that may have been meant. */
  get(name: string): Entry {
    const entry = this.byName.get(name);
    if (!entry) throw new UnknownDefinition(this.kind, name, this.names, nearMatches(name, this.names));
    return entry;
  }

  find(name: string): Entry | undefined {
    return this.byName.get(name);
  }

  [Symbol.iterator](): IterableIterator<Entry> {
    return this.byName.values();
  }
}
