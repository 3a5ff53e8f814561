/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '7e6f69fd9bbebaafd13bce16f302a8286ab0b340cc2563d55d05cbeaa12aa9ea';
