import { isEncryptedJob, type PhaseEvent, type PhaseState } from '@phaseline/domain';
import type { JsonObject } from '@phaseline/basics';
import { encodeEvent } from '@phaseline/repository';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';

/** An event as another process read or decided it. Its data is checked where it is decoded. */
export const encodedEventSchema = z.object({
  type: z.string(),
  schemaVersion: z.int().positive(),
  data: z.custom<JsonObject>((data) => typeof data === 'object' && data !== null),
});

const newerEventsSchema = z.object({
  version: z.int().nonnegative(),
  events: z.array(encodedEventSchema),
});

/** The last events of a phase up to a version, with which a process that holds an older state need not read the log. */
export type NewerEvents = z.output<typeof newerEventsSchema>;

/** Reads what a worker enclosed; undefined if it is something else. */
export function parseNewerEvents(enclosed: unknown): NewerEvents | undefined {
  return newerEventsSchema.safeParse(enclosed).data;
}

const MAX_PHASES = 256;
/** Events per phase. A step with one remote call has four. */
const MAX_EVENTS = 16;

/** The events that this process appended to its phases since it enclosed them last. */
export class RecentEvents {
  private readonly phases = new LRUCache<string, { readonly version: number; readonly events: readonly PhaseEvent[] }>({
    max: MAX_PHASES,
  });

  /** Notes that `events` were appended to `base`, which led to `next`. */
  note(streamId: string, base: PhaseState, events: readonly PhaseEvent[], next: PhaseState): void {
    // After an erasure, no copy of an encrypted job may remain in memory.
    if (events.length === 0 || isEncryptedJob(base.start.identity.jobId)) return;
    const { version } = next;
    const before = this.phases.get(streamId);
    // Others appended in between, so events are missing.
    if (version !== base.version + events.length) this.phases.delete(streamId);
    else if (before?.version !== base.version) this.phases.set(streamId, { version, events });
    else this.phases.set(streamId, { version, events: [...before.events, ...events].slice(-MAX_EVENTS) });
  }

  /** Returns what to enclose with a message about the state, and keeps only what comes after it. */
  enclose(streamId: string, { version }: PhaseState): z.input<typeof newerEventsSchema> | undefined {
    const recent = this.phases.get(streamId);
    if (recent?.version !== version || recent.events.length === 0) return undefined;
    this.phases.set(streamId, { version, events: [] });
    return { version, events: recent.events.map(encodeEvent) };
  }
}
