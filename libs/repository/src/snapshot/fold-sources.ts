/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'f5dcd090a99b5ec249524086bdd8c9ad1ee6e4beec278755c7ab36630e3d92d1';
