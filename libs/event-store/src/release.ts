import { readFileSync } from 'node:fs';

/** The version of this code, as its package says; the same in all of Phaseline. Seen from `src` and from `dist` alike. */
export const RELEASE: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
