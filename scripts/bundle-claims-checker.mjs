// Bundles the claims checker into one program that needs only Node: `node scripts/bundle-claims-checker.mjs [FILE]`. Without FILE it
// writes libs/audit/dist/verify-claims.mjs, which every export with files contains.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';

const root = dirname(import.meta.dirname);

/** Writes the bundle. Fails if it needs more than Node. */
export async function bundleClaimsChecker(file = join(root, 'libs/audit/dist/verify-claims.mjs')) {
  const { output } = await build({
    root,
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true, resolve: { conditions: ['@phaseline/source', 'module', 'node', 'import'] } },
    build: {
      ssr: join(root, 'libs/audit/src/claims/claims-checker.ts'),
      write: false,
      target: 'node22',
      minify: false,
      rolldownOptions: {
        external: /^node:/,
        // Only zod sets itself up when it is imported. Everything else that the checker does not use is left out.
        treeshake: { moduleSideEffects: (id) => /[\\/]node_modules[\\/]zod[\\/]|claims-checker/.test(id) },
      },
    },
  });
  const unexpected = output.flatMap(({ imports = [] }) => imports).filter((name) => !name.startsWith('node:'));
  if (output.length !== 1 || unexpected.length > 0)
    throw new Error(
      `The claims checker must be one file that imports only Node, but it imports ${unexpected.join(', ')}.`,
    );
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, output[0].code);
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  await bundleClaimsChecker(process.argv[2] && resolve(process.argv[2]));
