/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'ee748071f97b47ebc338631044520ec57393f6a678e12b7cde6d5ca4675c2a13';
