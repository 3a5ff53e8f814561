/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '187f79193813c49fbcb8b8479996b064feb8315fc168cf8289a38808f9641b40';
