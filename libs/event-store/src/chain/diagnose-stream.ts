import type { JobId, StreamId } from '@phaseline/contracts';
import { CHAIN_START, eventHash, type HashedEvent } from './canonical-event.js';
import { isClosedFlagCorrect, canFollow } from './stream-end.js';
import type { ChainProblem, ChainProblemKind } from './chain-problem.js';

export interface StoredEvent extends HashedEvent {
  readonly position: number;
  readonly transactionId: bigint;
  readonly hash: Buffer;
}

/** Version and hash of a stream according to its row in `streams` or to an anchor. */
interface KnownHead {
  readonly version: number;
  readonly hash: Buffer;
}

/** The row in `streams`. */
interface StreamRow extends KnownHead {
  readonly closed: boolean;
  readonly correlationId: JobId;
}

interface AnchoredHead extends KnownHead {
  readonly anchor: number;
}

export interface StreamEvidence {
  readonly streamId: StreamId;
  /** Stored events in version order. */
  readonly events: readonly StoredEvent[];
  readonly head: StreamRow | undefined;
  /** Anchored heads in version order. */
  readonly anchored: readonly AnchoredHead[];
  /** The last anchor, if any. Events below its horizon must be covered by an anchor. */
  readonly lastAnchor: { readonly number: number; readonly horizon: bigint } | undefined;
}

/**
 * Determines how a faulty stream was changed. Follows the chain, and where an event does not match its predecessor, searches for a
 * single change that explains it: events swapped, inserted or missing. Otherwise the event is `altered`. It then continues after the
 * fault, so that one change is reported as one problem instead of one per later version.
 */
export function diagnoseStream(evidence: StreamEvidence): ChainProblem[] {
  return new Diagnosis(evidence).run();
}

class Diagnosis {
  private readonly problems: ChainProblem[] = [];
  private readonly events: StoredEvent[];
  private previous: Buffer = CHAIN_START;
  /** Original version of the next event. Its current version is `slot + shift`. */
  private slot = 1;
  private shift = 0;
  private position = 0;
  /** Original hash of each version. */
  private readonly hashes = new Map<number, Buffer>();

  constructor(private readonly evidence: StreamEvidence) {
    this.events = [...evidence.events];
  }

  run(): ChainProblem[] {
    for (let index = 0; index < this.events.length;) index = this.checkEvent(index);
    this.checkHead();
    this.checkAnchors();
    this.checkEnds();
    this.checkRow();
    return this.problems;
  }

  /** Checks the event at the index, and returns the index to continue with. */
  private checkEvent(index: number): number {
    const event = this.events[index]!;
    const expected = this.slot + this.shift;
    if (event.version > expected) {
      this.reportMissing(expected, event.version - 1);
      this.slot = event.version - this.shift;
      // The previous hash is unknown after a gap, and the gap has been reported.
      return this.accept(index, event.hash);
    }
    if (this.isHashValid(this.previous, event, this.slot)) return this.accept(index, event.hash);
    return (
      this.trySwap(index) ??
      this.tryInserted(index) ??
      this.trySwappedContents(index) ??
      this.tryRenumbered(index) ??
      this.reportAltered(index)
    );
  }

  private accept(index: number, hash: Buffer): number {
    const event = this.events[index]!;
    if (event.position <= this.position) {
      const detail = `position ${event.position} is not greater than position ${this.position} of the previous version`;
      this.report('out-of-order', event.version, detail);
    }
    this.position = Math.max(this.position, event.position);
    this.hashes.set(this.slot, hash);
    this.previous = hash;
    this.slot += 1;
    return index + 1;
  }

  /** Handles two swapped events: the original event of this version is stored at a later version, and this one belongs there. */
  private trySwap(index: number): number | undefined {
    const other = this.find(index, (candidate) => this.isHashValid(this.previous, candidate, this.slot));
    if (other === undefined) return undefined;
    const [here, there] = [this.events[index]!, this.events[other]!];
    const before = other === index + 1 ? there.hash : this.events[other - 1]!.hash;
    if (!this.isHashValid(before, here, this.slot + other - index)) return undefined;
    this.reportSwapped(here, there);
    [this.events[index], this.events[other]] = [
      { ...there, version: here.version },
      { ...here, version: there.version },
    ];
    return index;
  }

  /** Handles inserted events: the original event of this version is stored at a later version. */
  private tryInserted(index: number): number | undefined {
    const next = this.find(index, (candidate) => this.isHashValid(this.previous, candidate, this.slot));
    if (next === undefined) return undefined;
    for (const { version, type } of this.events.slice(index, next))
      this.report('inserted', version, `${type} does not belong to the chain, which is valid without it`);
    this.shift += next - index;
    return next;
  }

  /** Handles two events whose contents were swapped while their hashes stayed in place. */
  private trySwappedContents(index: number): number | undefined {
    const here = this.events[index]!;
    const withHash = (event: StoredEvent, hash: Buffer): StoredEvent => ({ ...event, hash });
    const other = this.find(index, (candidate) =>
      this.isHashValid(this.previous, withHash(candidate, here.hash), this.slot),
    );
    if (other === undefined) return undefined;
    const there = this.events[other]!;
    this.reportSwapped(here, there);
    const unmovedFields = ({ version, hash, position }: StoredEvent) => ({ version, hash, position });
    this.events[index] = { ...there, ...unmovedFields(here) };
    this.events[other] = { ...here, ...unmovedFields(there) };
    return index;
  }

  /** Handles removed events: this event and later ones were renumbered to close the gap. */
  private tryRenumbered(index: number): number | undefined {
    const { hash } = this.events[index]!;
    const next = this.events[index + 1];
    const gap = [...Array(MAX_SEARCH_DISTANCE).keys()]
      .map((number) => number + 1)
      .find(
        (lost) =>
          (next !== undefined && this.isHashValid(hash, next, this.slot + lost + 1)) ||
          this.knownHeads().some((known) => known.version === this.slot + lost && known.hash.equals(hash)),
      );
    if (gap === undefined) return undefined;
    this.reportMissing(this.slot, this.slot + gap - 1, ', and later events were renumbered');
    this.slot += gap;
    this.shift -= gap;
    return this.accept(index, hash);
  }

  private reportAltered(index: number): number {
    const event = this.events[index]!;
    const computed = eventHash(this.previous, { ...event, version: this.slot });
    const next = this.events[index + 1];
    const isOnlyHashAltered =
      (next !== undefined && this.isHashValid(computed, next, this.slot + 1)) ||
      this.knownHeads().some((known) => known.version === this.slot && known.hash.equals(computed));
    const detail = isOnlyHashAltered
      ? `${event.type}: the stored hash ${event.hash.toString('hex')} was changed, but the event was not`
      : `${event.type}: the stored hash ${event.hash.toString('hex')} does not match the stored event`;
    this.report('altered', event.version, detail);
    return this.accept(index, isOnlyHashAltered ? computed : event.hash);
  }

  private checkHead(): void {
    const { head, events } = this.evidence;
    const last = events.at(-1);
    const lastVersion = last?.version ?? 0;
    if (!head) {
      if (last) this.report('head-mismatch', lastVersion, 'the stream has events but no row in streams');
      return;
    }
    if (!last && head.version <= 0) {
      this.report('head-mismatch', lastVersion, 'the stream has a row in streams but no events');
    } else if (head.version > Math.max(lastVersion, this.slot - 1)) {
      const found = last ? `the last stored event is version ${lastVersion}` : 'no event is stored';
      this.report('truncated', lastVersion, `streams says the last event is version ${head.version}, but ${found}`);
    } else if (this.hashes.get(head.version)?.equals(head.hash)) {
      for (const { version, type } of events.filter((event) => event.version - this.shift > head.version))
        this.reportOnce('inserted', version, `${type} follows version ${head.version}, which is the last in streams`);
    } else if (!this.previous.equals(head.hash)) {
      const detail = `streams says the last hash is ${head.hash.toString('hex')}, but the last event has ${this.previous.toString('hex')}`;
      this.report('head-mismatch', lastVersion, detail);
    } else if (head.version < this.slot - 1) {
      const detail = `streams has version ${head.version} with the hash of the last event, which is version ${lastVersion}`;
      this.report('head-mismatch', lastVersion, detail);
    }
  }

  private checkAnchors(): void {
    const { anchored, events, lastAnchor } = this.evidence;
    const end = this.slot - 1;
    for (const { anchor, version, hash } of anchored) {
      const found = this.hashes.get(version);
      if (found?.equals(hash)) continue;
      if (version > end) {
        const last = events.at(-1)?.version ?? 0;
        this.reportOnce(
          'truncated',
          last,
          `anchor ${anchor} has version ${version}, but the last stored event is version ${last}`,
        );
        // Later anchors would give the same result.
        break;
      }
      // Skip if an event up to this version was already reported: an altered event with a new hash causes this as well.
      if (found && !this.problems.some((problem) => problem.version <= version)) {
        const detail = `anchor ${anchor} has the hash ${hash.toString('hex')} for version ${version}, but it is now ${found.toString('hex')}`;
        this.report('rewritten', version, detail);
        break;
      }
    }
    if (!lastAnchor) return;
    const known = anchored.at(-1)?.version ?? 0;
    for (const { version, type, transactionId } of events)
      if (version - this.shift > known && transactionId < lastAnchor.horizon)
        this.reportOnce(
          'inserted',
          version,
          `${type} claims to be older than anchor ${lastAnchor.number}, but no anchor covers it`,
        );
  }

  /** Reports the first event that is not allowed after the end of the stream. Later ones are a consequence. */
  private checkEnds(): void {
    let previous: string | undefined;
    for (const { version, type } of this.evidence.events) {
      if (!canFollow(previous, type) && !this.problems.some((problem) => problem.version === version)) {
        this.report('after-end', version, `${type} follows ${previous}, which ended the stream`);
        return;
      }
      previous = type;
    }
  }

  /** Checks the correlation of the events, and the correlation and closed flag of the row in `streams`. */
  private checkRow(): void {
    const { head, events, streamId } = this.evidence;
    const [first, last] = [events[0], events.at(-1)];
    if (!first || !last) return;
    const other = events.find(({ correlationId }) => correlationId !== first.correlationId);
    if (other && !this.problems.some((problem) => problem.version === other.version))
      this.report(
        'inserted',
        other.version,
        `it belongs to ${other.correlationId}, but the stream belongs to ${first.correlationId}`,
      );
    if (!head || this.problems.length > 0) return;
    if (head.correlationId !== first.correlationId) {
      const detail = `streams says it belongs to ${head.correlationId}, but its events belong to ${first.correlationId}`;
      this.report('head-mismatch', last.version, detail);
    }
    if (!isClosedFlagCorrect(streamId, last.type, head.closed)) {
      const state = head.closed ? 'closed' : 'open';
      this.report('head-mismatch', last.version, `streams says it is ${state}, but its last event is ${last.type}`);
    }
  }

  private isHashValid(previous: Uint8Array, event: StoredEvent, version: number): boolean {
    return eventHash(previous, { ...event, version }).equals(event.hash);
  }

  private find(index: number, matches: (event: StoredEvent) => boolean): number | undefined {
    const from = index + 1;
    const found = this.events.slice(from, from + MAX_SEARCH_DISTANCE).findIndex(matches);
    return found === -1 ? undefined : from + found;
  }

  private knownHeads(): KnownHead[] {
    const { head, anchored } = this.evidence;
    return head ? [...anchored, head] : [...anchored];
  }

  private reportMissing(first: number, last: number, suffix = ''): void {
    const which = first === last ? `version ${first} is missing` : `versions ${first} to ${last} are missing`;
    this.report('missing', first, which + suffix);
  }

  private reportSwapped(here: StoredEvent, there: StoredEvent): void {
    const detail = `versions ${here.version} and ${there.version} were swapped (${there.type} was first)`;
    this.report('swapped', here.version, detail);
  }

  private reportOnce(kind: ChainProblemKind, version: number, detail: string): void {
    if (!this.problems.some((problem) => problem.kind === kind && problem.version === version))
      this.report(kind, version, detail);
  }

  private report(kind: ChainProblemKind, version: number, detail: string): void {
    this.problems.push({ kind, streamId: this.evidence.streamId, version, detail });
  }
}

/** Number of later versions to search for a displaced event: the maximum number of hashes per fault. */
const MAX_SEARCH_DISTANCE = 1_000;
