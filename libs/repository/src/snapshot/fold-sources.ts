/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '3afd52e8cf34994a72ee18cb604bcae9e17bfa5d4213667b094c68ca71ca166a';
