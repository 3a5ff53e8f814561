/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'f6923164fa99f71c5db389cd7371d023fa413a9be366dca56ea1449654c95a75';
