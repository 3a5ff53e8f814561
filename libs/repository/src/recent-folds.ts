/** LRU cache of folds by stream. An evicted fold only costs a read. */
export class RecentFolds<State> {
  private readonly folds = new Map<string, State>();

  constructor(private readonly capacity: number) {}

  get(streamId: string): State | undefined {
    const state = this.folds.get(streamId);
    if (state !== undefined) {
      this.folds.delete(streamId);
      this.folds.set(streamId, state);
    }
    return state;
  }

  set(streamId: string, state: State): void {
    this.folds.delete(streamId);
    this.folds.set(streamId, state);
    if (this.folds.size > this.capacity) this.folds.delete(this.folds.keys().next().value!);
  }

  delete(streamId: string): void {
    this.folds.delete(streamId);
  }
}
