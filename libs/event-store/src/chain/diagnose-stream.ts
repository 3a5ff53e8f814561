import { CHAIN_START, eventHash, type HashedEvent } from './canonical-event.js';
import { isClosedRightly, mayFollow } from './after-end.js';
import type { ChainProblem, ChainProblemKind } from './chain-problem.js';

export interface StoredEvent extends HashedEvent {
  readonly position: number;
  readonly transactionId: bigint;
  readonly hash: Buffer;
}

/** What somebody else than the events says of a stream: its row in `streams`, or a seal. */
export interface KnownHead {
  readonly version: number;
  readonly hash: Buffer;
}

/** The row in `streams`. */
export interface StreamRow extends KnownHead {
  readonly closed: boolean;
  readonly correlationId: string;
}

export interface SealedHead extends KnownHead {
  readonly seal: number;
}

export interface StreamEvidence {
  readonly streamId: string;
  /** In version order, as they are stored. */
  readonly events: readonly StoredEvent[];
  readonly head: StreamRow | undefined;
  /** In version order. */
  readonly sealed: readonly SealedHead[];
  /** The last seal, if there is one: whatever is older must be in a seal. */
  readonly lastSeal: { readonly number: number; readonly horizon: bigint } | undefined;
}

/**
 * Says what was done to a stream that does not fit: walks along the chain, and where an event does not follow the one before it, asks
 * which single change would explain that: two events that changed places, one too many, some too few. What nothing explains is
 * `altered`. After a fault it goes on from there, so that one change is one problem and not one a version behind it.
 */
export function diagnoseStream(evidence: StreamEvidence): ChainProblem[] {
  return new Diagnosis(evidence).run();
}

class Diagnosis {
  private readonly problems: ChainProblem[] = [];
  private readonly events: StoredEvent[];
  private previous: Buffer = CHAIN_START;
  /** The version that the next event had when it was written; its number now is that plus the shift. */
  private slot = 1;
  private shift = 0;
  private position = 0;
  /** The hash at each version as it was written. */
  private readonly hashes = new Map<number, Buffer>();

  constructor(private readonly evidence: StreamEvidence) {
    this.events = [...evidence.events];
  }

  run(): ChainProblem[] {
    for (let index = 0; index < this.events.length;) index = this.step(index);
    this.checkHead();
    this.checkSeals();
    this.checkEnds();
    this.checkRow();
    return this.problems;
  }

  /** Judges the event at the index, and returns the index to go on with. */
  private step(index: number): number {
    const event = this.events[index]!;
    const expected = this.slot + this.shift;
    if (event.version > expected) {
      this.missing(expected, event.version - 1);
      this.slot = event.version - this.shift;
      // Behind a gap there is nothing to hash against, and the gap has been told.
      return this.accept(index, event.hash);
    }
    if (this.fits(this.previous, event, this.slot)) return this.accept(index, event.hash);
    return (
      this.trySwap(index) ??
      this.tryInserted(index) ??
      this.trySwappedContents(index) ??
      this.tryRenumbered(index) ??
      this.altered(index)
    );
  }

  private accept(index: number, hash: Buffer): number {
    const event = this.events[index]!;
    if (event.position <= this.position) {
      const detail = `position ${event.position} is not behind position ${this.position} of the version before it`;
      this.report('out-of-order', event.version, detail);
    }
    this.position = Math.max(this.position, event.position);
    this.hashes.set(this.slot, hash);
    this.previous = hash;
    this.slot += 1;
    return index + 1;
  }

  /** The event that was written at this place stands further behind, and this one fits there. */
  private trySwap(index: number): number | undefined {
    const other = this.find(index, (candidate) => this.fits(this.previous, candidate, this.slot));
    if (other === undefined) return undefined;
    const [here, there] = [this.events[index]!, this.events[other]!];
    const before = other === index + 1 ? there.hash : this.events[other - 1]!.hash;
    if (!this.fits(before, here, this.slot + other - index)) return undefined;
    this.swapped(here, there);
    [this.events[index], this.events[other]] = [
      { ...there, version: here.version },
      { ...here, version: there.version },
    ];
    return index;
  }

  /** The event that was written at this place stands further behind, because others were put in front of it. */
  private tryInserted(index: number): number | undefined {
    const next = this.find(index, (candidate) => this.fits(this.previous, candidate, this.slot));
    if (next === undefined) return undefined;
    for (const { version, type } of this.events.slice(index, next))
      this.report('inserted', version, `${type} has no place in the chain, which fits without it`);
    this.shift += next - index;
    return next;
  }

  /** Contents changed places, and the hashes stayed where they were. */
  private trySwappedContents(index: number): number | undefined {
    const here = this.events[index]!;
    const moved = (event: StoredEvent, hash: Buffer): StoredEvent => ({ ...event, hash });
    const other = this.find(index, (candidate) => this.fits(this.previous, moved(candidate, here.hash), this.slot));
    if (other === undefined) return undefined;
    const there = this.events[other]!;
    this.swapped(here, there);
    const stays = ({ version, hash, position }: StoredEvent) => ({ version, hash, position });
    this.events[index] = { ...there, ...stays(here) };
    this.events[other] = { ...here, ...stays(there) };
    return index;
  }

  /** Events before this one are gone, and it and those behind it got lower numbers. */
  private tryRenumbered(index: number): number | undefined {
    const { hash } = this.events[index]!;
    const next = this.events[index + 1];
    const gap = [...Array(FARTHEST).keys()]
      .map((number) => number + 1)
      .find(
        (lost) =>
          (next !== undefined && this.fits(hash, next, this.slot + lost + 1)) ||
          this.anchors().some((known) => known.version === this.slot + lost && known.hash.equals(hash)),
      );
    if (gap === undefined) return undefined;
    this.missing(this.slot, this.slot + gap - 1, ', and those behind got their numbers');
    this.slot += gap;
    this.shift -= gap;
    return this.accept(index, hash);
  }

  private altered(index: number): number {
    const event = this.events[index]!;
    const computed = eventHash(this.previous, { ...event, version: this.slot });
    const next = this.events[index + 1];
    const onlyHash =
      (next !== undefined && this.fits(computed, next, this.slot + 1)) ||
      this.anchors().some((known) => known.version === this.slot && known.hash.equals(computed));
    const detail = onlyHash
      ? `${event.type}: the stored hash ${event.hash.toString('hex')} was changed, the event was not`
      : `${event.type}: the stored hash ${event.hash.toString('hex')} is not that of the event that is stored`;
    this.report('altered', event.version, detail);
    return this.accept(index, onlyHash ? computed : event.hash);
  }

  private checkHead(): void {
    const { head, events } = this.evidence;
    const last = events.at(-1);
    const there = last?.version ?? 0;
    if (!head) {
      if (last) this.report('head-mismatch', there, 'the stream has events and no row in streams');
      return;
    }
    if (!last && head.version <= 0) {
      this.report('head-mismatch', there, 'streams has a row for it, and it has no events');
    } else if (head.version > Math.max(there, this.slot - 1)) {
      const found = last ? `the last one there is version ${there}` : 'none is there';
      this.report('truncated', there, `streams says that the last event is version ${head.version}, and ${found}`);
    } else if (this.hashes.get(head.version)?.equals(head.hash)) {
      for (const { version, type } of events.filter((event) => event.version - this.shift > head.version))
        this.once('inserted', version, `${type} is behind version ${head.version}, which streams says is the last`);
    } else if (!this.previous.equals(head.hash)) {
      const detail = `streams says that the last hash is ${head.hash.toString('hex')}, and that of the last event is ${this.previous.toString('hex')}`;
      this.report('head-mismatch', there, detail);
    } else if (head.version < this.slot - 1) {
      const detail = `streams says that version ${head.version} has the hash of the last event, which is version ${there}`;
      this.report('head-mismatch', there, detail);
    }
  }

  private checkSeals(): void {
    const { sealed, events, lastSeal } = this.evidence;
    const end = this.slot - 1;
    for (const { seal, version, hash } of sealed) {
      const found = this.hashes.get(version);
      if (found?.equals(hash)) continue;
      if (version > end) {
        const last = events.at(-1)?.version ?? 0;
        this.once(
          'truncated',
          last,
          `seal ${seal} holds version ${version}, and the last one there is version ${last}`,
        );
        // Later seals say the same.
        break;
      }
      // Where the event was altered together with its hash, that has been told.
      if (found && !this.problems.some((problem) => problem.version <= version)) {
        const detail = `seal ${seal} holds version ${version} with the hash ${hash.toString('hex')}, and it is ${found.toString('hex')} now`;
        this.report('rewritten', version, detail);
        break;
      }
    }
    if (!lastSeal) return;
    const known = sealed.at(-1)?.version ?? 0;
    for (const { version, type, transactionId } of events)
      if (version - this.shift > known && transactionId < lastSeal.horizon)
        this.once(
          'inserted',
          version,
          `${type} claims to be older than seal ${lastSeal.number}, which does not know it`,
        );
  }

  /** The first event behind an end that may not stand there; those behind it follow from that. */
  private checkEnds(): void {
    let previous: string | undefined;
    for (const { version, type } of this.evidence.events) {
      if (!mayFollow(previous, type) && !this.problems.some((problem) => problem.version === version)) {
        this.report('after-end', version, `${type} stands behind ${previous}, which ended the stream`);
        return;
      }
      previous = type;
    }
  }

  /** What the row in `streams` says beside the hash. */
  private checkRow(): void {
    const { head, events, streamId } = this.evidence;
    const [first, last] = [events[0], events.at(-1)];
    if (!first || !last) return;
    const other = events.find(({ correlationId }) => correlationId !== first.correlationId);
    if (other && !this.problems.some((problem) => problem.version === other.version))
      this.report(
        'inserted',
        other.version,
        `it belongs to ${other.correlationId}, and the stream to ${first.correlationId}`,
      );
    if (!head || this.problems.length > 0) return;
    if (head.correlationId !== first.correlationId) {
      const detail = `streams says that it belongs to ${head.correlationId}, and its events say ${first.correlationId}`;
      this.report('head-mismatch', last.version, detail);
    }
    if (!isClosedRightly(streamId, last.type, head.closed)) {
      const said = head.closed ? 'closed' : 'open';
      this.report('head-mismatch', last.version, `streams says that it is ${said}, and its last event is ${last.type}`);
    }
  }

  private fits(previous: Uint8Array, event: StoredEvent, version: number): boolean {
    return eventHash(previous, { ...event, version }).equals(event.hash);
  }

  private find(index: number, fits: (event: StoredEvent) => boolean): number | undefined {
    const from = index + 1;
    const found = this.events.slice(from, from + FARTHEST).findIndex(fits);
    return found === -1 ? undefined : from + found;
  }

  private anchors(): KnownHead[] {
    const { head, sealed } = this.evidence;
    return head ? [...sealed, head] : [...sealed];
  }

  private missing(first: number, last: number, more = ''): void {
    const which = first === last ? `version ${first} is not there` : `versions ${first} to ${last} are not there`;
    this.report('missing', first, which + more);
  }

  private swapped(here: StoredEvent, there: StoredEvent): void {
    const detail = `versions ${here.version} and ${there.version} have changed places (${there.type} was first)`;
    this.report('swapped', here.version, detail);
  }

  private once(kind: ChainProblemKind, version: number, detail: string): void {
    if (!this.problems.some((problem) => problem.kind === kind && problem.version === version))
      this.report(kind, version, detail);
  }

  private report(kind: ChainProblemKind, version: number, detail: string): void {
    this.problems.push({ kind, streamId: this.evidence.streamId, version, detail });
  }
}

/** How far behind its place an event is looked for: a fault costs so many hashes at most. */
const FARTHEST = 1_000;
