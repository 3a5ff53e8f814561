import type { EventDefinition } from './define-event.js';
import { UndecodableEvent, type StoredEvent } from './undecodable-event.js';
import { upcast, type Upcasters } from './upcast.js';

/** The events that a release knows, and how it reads those of older ones. */
export class EventCatalogue {
  private readonly definitions: ReadonlyMap<string, EventDefinition>;

  constructor(
    definitions: readonly EventDefinition[],
    private readonly upcasters: Upcasters,
  ) {
    this.definitions = new Map(definitions.map((definition) => [definition.type, definition]));
  }

  /** The version that a new event of this type is written with. */
  versionOf(type: string): number {
    const definition = this.definitions.get(type);
    if (!definition) throw new Error(`no event is called ${type}`);
    return definition.version;
  }

  /** The newest version known of every type: two releases with the same list can read each other's events. */
  knows(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.definitions.values()].map(({ type, version }) => [type, version]));
  }

  /** The event in this release's shape. Throws UndecodableEvent. */
  decode(stored: StoredEvent): { readonly type: string; readonly data: unknown } {
    const definition = this.definitions.get(stored.type);
    if (!definition) throw new UndecodableEvent(stored, 'no event of that name is known', true);
    if (stored.schemaVersion > definition.version) {
      throw new UndecodableEvent(stored, `this release knows its versions up to ${definition.version}`, true);
    }
    const parsed = definition.data.safeParse(this.upToDate(stored, definition.version));
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new UndecodableEvent(stored, `${issue?.path.join('.') || 'data'}: ${issue?.message ?? 'wrong shape'}`);
    }
    return { type: stored.type, data: parsed.data };
  }
  private upToDate(stored: StoredEvent, version: number): unknown {
    if (stored.schemaVersion === version) return stored.data;
    try {
      return upcast(stored.type, stored.schemaVersion, version, stored.data, this.upcasters);
    } catch (error) {
      throw new UndecodableEvent(stored, error instanceof Error ? error.message : String(error));
    }
  }
}
