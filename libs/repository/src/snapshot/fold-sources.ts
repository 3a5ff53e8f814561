/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '47b98ef097c8d70e9d6bb6d83832b12825f1a5711725cef7d98d841e2bb92dcf';
