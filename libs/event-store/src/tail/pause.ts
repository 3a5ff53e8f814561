/** A pause that can be ended early. */
export class Pause {
  private finish: (() => void) | undefined;

  /** Resolves after the time, or when `end` is called. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.finish = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  end(): void {
    this.finish?.();
  }
}
