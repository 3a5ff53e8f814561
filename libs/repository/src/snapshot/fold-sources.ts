/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '91032fdb2e73b2c1b8634960f298c238e07c29ddcd61225d08b0af153532cac4';
