/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '34ae6d82f0fad3ef63b7d83d8dc522b596acda35bb8d9e47de3195e83a5cca86';
