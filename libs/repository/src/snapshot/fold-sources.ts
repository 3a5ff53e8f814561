/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '7338e6b9f651b2e6b573f9ed51c60e24bb545bbabf8c1b7ec13246f43cda03de';
