/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '1f5e7c430103a23c13453a7ce44e9ec1bda32e6b4cd8a7fae4928d594a0522c2';
