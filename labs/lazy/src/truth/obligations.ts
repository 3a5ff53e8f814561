import type { Files } from './files.js';

export interface Obligation {
  readonly path: string;
  readonly quote: string;
  readonly days: number;
}

/** Finds the sentences of the form "… must … within N days." in documents. */
export function findObligations(documents: Files): readonly Obligation[] {
  return [...documents].flatMap(([path, text]) =>
    [...text.matchAll(/[A-Z][^.\n]*\bmust\b[^.\n]*\bwithin (\d+) days\./g)].map(([quote, days]) => ({
      path,
      quote,
      days: Number(days),
    })),
  );
}
