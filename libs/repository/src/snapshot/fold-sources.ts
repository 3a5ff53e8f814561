/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '4e760f56b675b1e7b6e52d224ba4b9ce8c27d9a07accff523d8bb17b86c9b5d4';
