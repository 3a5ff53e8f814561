/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'f505d6b307cd6b5f81207c447b3ed9fb289462ff985713ab4f732164bbb103e9';
