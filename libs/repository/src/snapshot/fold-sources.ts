/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '7f6962ebe758ed25455a1f588d0d889637cff089a4a35c16452f71f729ddd8d7';
