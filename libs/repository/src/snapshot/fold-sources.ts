/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'c9faf080ada2e1a8f8e41e23d44b5d2af69e52baa211948163550f5b06460fb0';
