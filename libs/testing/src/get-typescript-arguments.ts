import { fileURLToPath } from 'node:url';

/**
 * Returns arguments for `process.execPath` that run a TypeScript file from its source, for child processes of specs.
 *
 * ```ts
 * spawn(process.execPath, getTypescriptArguments(new URL('./testing/victim.ts', import.meta.url)));
 * ```
 */
export function getTypescriptArguments(file: URL, ...args: string[]): string[] {
  const hooks = new URL('../../../test/run-typescript.mjs', import.meta.url).href;
  return [
    '--experimental-transform-types',
    '--disable-warning=ExperimentalWarning',
    '--conditions=@phaseline/source',
    '--import',
    hooks,
    fileURLToPath(file),
    ...args,
  ];
}
