/** One table of the report about the context, with notes for the reader. */
export interface ContextTable {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly notes?: readonly string[];
}

export interface ContextOptions {
  readonly quick: boolean;
}

/** A section of `npm run bench -- context`. Each is a file, listed in context-sections.ts. */
export interface ContextSection {
  readonly name: string;
  run(options: ContextOptions): Promise<readonly ContextTable[]>;
}

export const formatCount = (value: number): string => Math.round(value).toLocaleString('en-US');
export const formatPercent = (share: number): string => `${(100 * share).toFixed(1)} %`;
export const formatUsd = (value: number): string => value.toFixed(4);
