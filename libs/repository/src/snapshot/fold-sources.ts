/** SHA-256 over the sources of the fold, written by fold-version.unit.spec.ts (run it with -u when they change). */
export const foldSources = 'e5c1039c7e1661d3b5604ad4e197c876f0f752d9f58be8ef199ddd26b62a0b50';
