/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '13b5953e9e5ea9116ab791a6f9bd4a99c6ae4ae4e3de9003bd954712fff6312d';
