/** Counts the answers of the model in this process, so that the progress of a job is known without a query. */
export class StepCounter {
  steps = 0;
  private awaited: { readonly steps: number; readonly resolve: () => void } | undefined;

  add(): void {
    this.steps += 1;
    if (this.awaited !== undefined && this.steps >= this.awaited.steps) this.awaited.resolve();
  }

  /** Resolves when the model has given that many more answers. */
  waitForMore(steps: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.awaited = { steps: this.steps + steps, resolve };
    return promise;
  }
}
