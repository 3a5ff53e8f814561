/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'de1fae34a82f41f52cb510f459acc1c2153108554d9192ca8f290f02a9acce34';
