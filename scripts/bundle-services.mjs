// Bundles the services into dist/services, unless a bundle is newer than all of its sources. A service then starts from a few files; unbundled,
// Node finds, reads and compiles about 3,000 of them, which takes twice the processor time. Reads the compiled dist/ of every project.
import { glob, mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = dirname(import.meta.dirname);
const folder = join(root, 'dist/services');
const services = ['orchestrator', 'strategic-worker', 'tactical-worker', 'tool-runner'];
const sources = [
  '{libs,libs/packs}/*/src/**/*.ts',
  `apps/{${services.join()}}/src/**/*.ts`,
  'package-lock.json',
  'scripts/bundle-services.mjs',
];
/** Age from which files of earlier bundles are removed. A service that still runs may import younger ones. */
const REMOVAL_AGE_MS = 24 * 60 * 60 * 1_000;

/**
 * Packages that are in files of their own, with what they need. All services load them when they start. The memory that V8 takes to parse a file grows
 * with its size, and the C library does not give all of it back.
 */
const separatePackages = ['bullmq', 'fastify', '@nestjs/core'];

const getModifiedMs = (path) =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );

/** Defined at the beginning of every file: where a bundled module was, as a URL and as a path. */
const LOCATE = `import { fileURLToPath as toModulePath } from 'node:url';
const locateModule = (path) => new URL(path, import.meta.url);`;

/** Lets every module keep its own location, from which it finds its data, its threads and its packages. */
const keepLocations = {
  name: 'keep-locations',
  transform: {
    // The helpers of the bundler itself have no file.
    filter: { id: { exclude: /^\0/ }, code: /import\.meta\.url|__dirname|__filename/ },
    handler: (code, id) => {
      const locate = (path) => `locateModule(${JSON.stringify(relative(folder, path))})`;
      return code
        .replaceAll('import.meta.url', `${locate(id)}.href`)
        .replaceAll(/(?<![\w$.])__dirname\b/g, `toModulePath(${locate(dirname(id))})`)
        .replaceAll(/(?<![\w$.])__filename\b/g, `toModulePath(${locate(id)})`);
    },
  },
};

/**
 * Loads Node's `http` as a CommonJS module does. An `import` reads all of its exports, and some of them load Node's client for `fetch`, which takes 3 MiB
 * in a service that does not use it.
 */
const loadHttpAlone = {
  name: 'load-http-alone',
  resolveId: { filter: { id: /^(?:node:)?http$/ }, handler: () => ({ id: '\0http.cjs', moduleSideEffects: false }) },
  load: {
    filter: { id: /^\0http\.cjs$/ },
    handler: () => ({ code: "module.exports = process.getBuiltinModule('node:http');", moduleType: 'js' }),
  },
};

/**
 * Escapes what is not ASCII: V8 stores a file with one character outside Latin-1 in two bytes per character. Needs the final text, because the bundler
 * replaces escapes by characters when it prints what its plugins return.
 */
const escapeWideCharacters = (code) =>
  code.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Writes the bundles, which share what several services use. What a service imports when needed remains a file of its own. */
async function writeBundles(startedAt) {
  const bundle = await rolldown({
    cwd: root,
    platform: 'node',
    input: Object.fromEntries(services.map((name) => [name, join(root, 'apps', name, 'dist/main.js')])),
    // The first finds its native part beside its own files, the second one imports its files in a way that no bundler follows.
    external: ['msgpackr', 'jsonc-parser'],
    plugins: [keepLocations, loadHttpAlone],
    // It would report the optional packages of Nest, which are not installed.
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Errors and injected classes are known by their names.
    keepNames: true,
    comments: false,
    codeSplitting: {
      groups: separatePackages.map((name) => ({
        name: name.replace(/\W+/g, '-').replace(/^-/, ''),
        test: new RegExp(`node_modules/${name}/`),
      })),
    },
    banner: LOCATE,
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  await mkdir(folder, { recursive: true });
  const writeAll = (files) =>
    Promise.all(
      files.map(async ({ fileName, code, source }) => {
        const path = join(folder, fileName);
        await writeFile(path, code === undefined ? source : escapeWideCharacters(code));
        await utimes(path, startedAt, startedAt);
      }),
    );
  // A service that starts meanwhile must find what its first file imports.
  await writeAll(output.filter(({ isEntry }) => !isEntry));
  await writeAll(output.filter(({ isEntry }) => isEntry));
}

/** Bundles the services if needed. Returns whether it had to. */
export async function bundleServices() {
  const startedAt = new Date();
  const bundledMs = await getModifiedMs(join(folder, `${services.at(-1)}.js`));
  let isCurrent = true;
  for await (const path of glob(sources, { cwd: root }))
    if (!path.includes('.spec.')) isCurrent &&= (await getModifiedMs(join(root, path))) <= bundledMs;
  if (isCurrent) return false;
  await writeBundles(startedAt);
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    if (startedAt - (await getModifiedMs(path)) > REMOVAL_AGE_MS) await rm(path, { force: true });
  }
  return true;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await bundleServices();
