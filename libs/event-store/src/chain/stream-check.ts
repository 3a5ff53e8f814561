import type { ChainProblem, ChainProblemKind } from './chain-problem.js';
import { CHAIN_START, eventHash, type HashedEvent } from './canonical-event.js';

export interface StoredEvent extends HashedEvent {
  readonly position: number;
  readonly hash: Buffer;
}

export interface StoredHead {
  readonly version: number;
  readonly hash: Buffer;
}

/**
 * Checks one stream, event by event in version order. After a fault it goes on from what is stored, so that one
 * altered event is one problem and not one a version behind it.
 */
export class StreamCheck {
  private version = 0;
  private position = 0;
  private hash: Buffer = CHAIN_START;

  constructor(
    private readonly streamId: string,
    private readonly report: (problem: ChainProblem) => void,
  ) {}

  next(event: StoredEvent): void {
    const gap = event.version !== this.version + 1;
    if (gap) {
      const first = this.version + 1;
      const last = event.version - 1;
      this.problem(
        'missing',
        first,
        first === last ? `version ${first} is not there` : `versions ${first} to ${last} are not there`,
      );
    }
    if (event.position <= this.position) {
      this.problem(
        'out-of-order',
        event.version,
        `position ${event.position} is not behind position ${this.position} of the version before it`,
      );
    }
    // Behind a gap there is nothing to hash against, and the gap has been told.
    if (!gap && !eventHash(this.hash, event).equals(event.hash)) {
      this.problem(
        'altered',
        event.version,
        `the stored hash ${event.hash.toString('hex')} is not that of the event that is stored`,
      );
    }
    this.version = event.version;
    this.position = event.position;
    this.hash = event.hash;
  }

  end(head: StoredHead | undefined): void {
    if (!head) {
      this.problem('head-mismatch', this.version, 'the stream has events and no row in streams');
    } else if (head.version !== this.version) {
      const which = this.version === 0 ? 'and there are none' : `and the last one there is version ${this.version}`;
      this.problem(
        'head-mismatch',
        this.version,
        `streams says that the last event is version ${head.version}, ${which}`,
      );
    } else if (!head.hash.equals(this.hash)) {
      this.problem(
        'head-mismatch',
        this.version,
        `streams says that the last hash is ${head.hash.toString('hex')}, and that of the last event is ${this.hash.toString('hex')}`,
      );
    }
  }

  private problem(kind: ChainProblemKind, version: number, detail: string): void {
    this.report({ kind, streamId: this.streamId, version, detail });
  }
}
