/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '7aa41cf491f5d92b14fa5611498cba2e000d34cd010860ff8bb7cb6b30814670';
