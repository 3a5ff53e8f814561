import { readFileSync } from 'node:fs';

/** Version of this code from package.json, the same in all packages. The relative path works from both `src` and `dist`. */
export const RELEASE: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version;
