import { UnknownDefinition, type DefinitionKind } from '../definition-errors.js';
import { findNearMatches } from './near-matches.js';

/** A loaded definition. */
export interface Loaded<Definition> {
  readonly name: string;
  readonly definition: Definition;
  /** SHA-256 of the content in hex. Definitions with the same hash are equal. */
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

  /** Names in alphabetical order. */
  get names(): readonly string[] {
    return [...this.byName.keys()].sort();
  }

  /** Returns a definition. Throws UnknownDefinition, with known names and suggestions. */
  get(name: string): Entry {
    const entry = this.byName.get(name);
    if (!entry) throw new UnknownDefinition(this.kind, name, this.names, findNearMatches(name, this.names));
    return entry;
  }

  find(name: string): Entry | undefined {
    return this.byName.get(name);
  }

  [Symbol.iterator](): IterableIterator<Entry> {
    return this.byName.values();
  }
}
