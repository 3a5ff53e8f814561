/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '4a7ec00a516f1fe8a2d1bd6322746459a3028bd9c73fa78bcb0ead9d9efcfd70';
