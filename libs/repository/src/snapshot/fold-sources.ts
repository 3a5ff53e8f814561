/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '48b1c17ce239c9d9540f2f68d1b8927ceb08ef914f2d1e5c02e8fb7e28ef78e1';
