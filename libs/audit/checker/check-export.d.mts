/** Exports of the audit checker for programs that import it instead of running it. */
export const FOLLOWERS_OF_END: Readonly<Record<string, readonly string[]>>;
