/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '8700edf3b05f0c3727235f17f145f7bc62877ef7936fdfd8970c358eb1ac92f7';
