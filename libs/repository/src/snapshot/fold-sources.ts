/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'e00d4aee5ee1cf25fc3055f0cfac5a7ab1e049ccd80468fbfa8b0980aee6fc54';
