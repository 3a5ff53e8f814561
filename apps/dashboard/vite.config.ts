import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** Files below this size are sent as they are: compressing them saves less than a network packet. */
const MIN_COMPRESSED_BYTES = 1_000;

/** Writes `.br` and `.gz` beside each text file, so that the orchestrator compresses nothing at run time. */
function writeCompressed(): Plugin {
  return {
    name: 'write-compressed',
    generateBundle: {
      // Vite replaces its markers for preloading in the last step; before it, the compressed files would still contain them.
      order: 'post',
      async handler(_options, bundle) {
        for (const [fileName, output] of Object.entries(bundle)) {
          const bytes = Buffer.from(output.type === 'chunk' ? output.code : output.source);
          if (bytes.length < MIN_COMPRESSED_BYTES || !/\.(?:js|css|svg)$/.test(fileName)) continue;
          const brotli = await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });
          this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotli });
          this.emitFile({
            type: 'asset',
            fileName: `${fileName}.gz`,
            source: await promisify(gzip)(bytes, { level: 9 }),
          });
        }
      },
    },
  };
}

/**
 * Sets zod's option `jitless` at the beginning of the file that contains zod: its schemas then generate no functions, which the content
 * security policy forbids and browsers report. A call of zod's `config` in a module would come after the first schemas, because the
 * bundler decides in which file, and so in which order, modules run.
 */
const output = {
  intro: ({ moduleIds }: { readonly moduleIds: readonly string[] }): string =>
    moduleIds.some((id) => /node_modules\/zod\//.test(id))
      ? 'globalThis.__zod_globalConfig ??= { jitless: true };'
      : '',
};

/**
 * Components that several screens use are in one file, which is loaded with the page. In files of their own, they cost the first view a dozen
 * more requests. Long lists, charts and differences stay in files of their own, because their libraries are large.
 */
const codeSplitting = {
  groups: [
    {
      name: 'shared',
      test: /[\\/]apps[\\/]dashboard[\\/]src[\\/](?:api|ui)[\\/](?!virtual-table|draw-chart|diff|patch)/,
      minShareCount: 2,
    },
  ],
};

export default defineConfig({
  root: import.meta.dirname,
  // The sources of the client: the pages are built before anything is compiled.
  resolve: { conditions: ['@phaseline/source', ...defaultClientConditions] },
  oxc: { jsx: { runtime: 'automatic' } },
  // The content security policy of the pages allows no inline code, and no addresses that begin with data:.
  build: {
    outDir: 'dist/pages',
    emptyOutDir: true,
    target: 'es2023',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Packages mark their modules for servers that render React, of which there is none.
    rolldownOptions: {
      output: { ...output, codeSplitting },
      // How long compression takes is no news for people who start the system.
      checks: { pluginTimings: false },
      onwarn: (warning, report) => {
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') report(warning);
      },
    },
  },
  worker: { format: 'es', rolldownOptions: { output } },
  plugins: [writeCompressed()],
  logLevel: 'warn',
});
