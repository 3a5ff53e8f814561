import type { Snapshot, Snapshots } from './snapshots.js';

/** Maximum number of snapshots per insert. Each contains the whole tree of files, so those of a long stream together may take gigabytes. */
const MAX_PENDING = 10;

/** The snapshots that a fold takes on its way. They are stored a few at a time, so that a stream of any length takes bounded memory. */
export class PendingSnapshots {
  /** The snapshot that was added last. */
  last: Snapshot | undefined;
  /** Number of snapshots that were added. */
  count = 0;
  private pending: Snapshot[] = [];

  /**
   * Without `snapshots`, nothing is stored. Unless they must be stored, snapshots that cannot be are dropped, because a reader does not
   * need them: the next one folds again.
   */
  constructor(
    private readonly snapshots: Pick<Snapshots, 'store'> | undefined,
    private readonly options: { readonly mustStore: boolean },
  ) {}

  /** Adds a snapshot, and stores those that are pending when there are enough of them. */
  async add(snapshot: Snapshot): Promise<void> {
    this.last = snapshot;
    this.count += 1;
    this.pending.push(snapshot);
    if (this.pending.length >= MAX_PENDING) await this.store();
  }

  /** Stores the pending snapshots. Throws DatabaseUnreachable and other errors of the insert only if they must be stored. */
  async store(): Promise<void> {
    const pending = this.pending;
    this.pending = [];
    await this.snapshots?.store(pending).catch((error: unknown) => {
      if (this.options.mustStore) throw error;
    });
  }
}
