/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '5687ba3499c7cb4ddf87c653cc5264cc53e46268209a934b60bfe0de3a347947';
