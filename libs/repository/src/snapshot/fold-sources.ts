/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = '7c7280137688822a9f3f20cb272a3b86cb6bfaae75fa63d18b117472dd53d588';
