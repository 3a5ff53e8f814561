import type { EventDefinition } from './define-event.js';
import { createQuickRead, UNDECIDED } from './quick-read.js';
import { UndecodableEvent, type StoredEvent } from './undecodable-event.js';
import { upcast, type Upcasters } from './upcast.js';

/** The event definitions of a release, with the upcasters for events of older releases. */
export class EventCatalogue {
  private readonly definitions: ReadonlyMap<string, EventDefinition>;
  /** Readers of the types that were decoded; each is created with the first event of its type. */
  private readonly quickReads = new Map<EventDefinition, ReturnType<typeof createQuickRead>>();

  constructor(
    definitions: readonly EventDefinition[],
    private readonly upcasters: Upcasters,
  ) {
    this.definitions = new Map(definitions.map((definition) => [definition.type, definition]));
  }

  /** The version with which a new event of this type is written. */
  getVersion(type: string): number {
    const definition = this.definitions.get(type);
    if (!definition) throw new Error(`unknown event type ${type}`);
    return definition.version;
  }

  /** The newest known version of every type. Two releases with the same list can read each other's events. */
  listVersions(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.definitions.values()].map(({ type, version }) => [type, version]));
  }

  /** Decodes an event into this release's shape. Throws UndecodableEvent. */
  decode(stored: StoredEvent): { readonly type: string; readonly data: unknown } {
    const definition = this.definitions.get(stored.type);
    if (!definition) throw new UndecodableEvent(stored, 'this release knows no event of that type', true);
    if (stored.schemaVersion > definition.version) {
      throw new UndecodableEvent(stored, `this release knows the event up to version ${definition.version}`, true);
    }
    const data = this.upcastToCurrent(stored, definition.version);
    // The type of the definition is compared faster than an equal text of the log, which folds do often.
    const { type } = definition;
    const read = this.readQuickly(definition, data);
    if (read !== UNDECIDED) return { type, data: read };
    const parsed = definition.data.safeParse(data);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new UndecodableEvent(stored, `${issue?.path.join('.') || 'data'}: ${issue?.message ?? 'wrong shape'}`);
    }
    return { type, data: parsed.data };
  }

  private readQuickly(definition: EventDefinition, data: unknown): unknown {
    let read = this.quickReads.get(definition);
    if (!read) {
      read = createQuickRead(definition.data);
      this.quickReads.set(definition, read);
    }
    return read(data);
  }

  private upcastToCurrent(stored: StoredEvent, version: number): unknown {
    if (stored.schemaVersion === version) return stored.data;
    try {
      return upcast(stored.type, stored.schemaVersion, version, stored.data, this.upcasters);
    } catch (error) {
      throw new UndecodableEvent(stored, error instanceof Error ? error.message : String(error));
    }
  }
}
