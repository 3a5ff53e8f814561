/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'af63f2c7c80e2a49aaeaad5586c9a2e785a592b0a62ef8b815045fd900bbd3a1';
