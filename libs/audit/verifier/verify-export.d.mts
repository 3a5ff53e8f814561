/** What a program that imports the verifier instead of running it may use. */
export const FOLLOWERS_OF_END: Readonly<Record<string, readonly string[]>>;
