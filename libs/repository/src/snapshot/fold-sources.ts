/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '1e70c225e81aa7afec0c4bcf49fbaa754212b6dac188da4425394ae0c213ae19';
