/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '2ec5d45a457d004eb3baa5de9a548f63b78f426b297cf379ff60bcf43f6cbb55';
