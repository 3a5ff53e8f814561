/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'd4a6d0a397d10cd5e6526de88e4528306657affad44001eb919c145e3adbce0e';
