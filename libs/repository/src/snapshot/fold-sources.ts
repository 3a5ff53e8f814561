/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'cb5012ec47e7a3d5c60a5b2b5b7251b124983e1cbed095ea8d16eaecad9e2ef7';
