// Packs the client for applications: `npm run pack:client` writes phaseline-client-<version>.tgz to the current directory, or to the one
// given as an argument. The tarball contains one bundle of this library, contracts and basics, with their declarations, and depends only
// on zod. It is built in a temporary directory, because the services of this repository run from `dist`.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { build } from 'vite';

const root = dirname(import.meta.dirname);
const libraries = join(root, 'libs');
const client = join(libraries, 'client');
const entry = join(client, 'src/package.ts');
const destination = resolve(process.argv[2] ?? process.cwd());

const folder = await mkdtemp(join(tmpdir(), 'phaseline-client-'));
try {
  await bundle();
  await declareTypes();
  await writeManifest();
  const pack = ['pack', '--silent', '--pack-destination', destination];
  const { stdout } = await promisify(execFile)('npm', pack, { cwd: folder });
  console.log(relative(process.cwd(), join(destination, stdout.trim())));
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** Writes `index.js`. Fails if the bundle needs a Node module, which a browser does not have. */
async function bundle() {
  const { output } = await build({
    root: client,
    configFile: false,
    logLevel: 'warn',
    resolve: { conditions: ['@phaseline/source'] },
    build: {
      outDir: folder,
      emptyOutDir: false,
      target: 'es2022',
      minify: false,
      lib: { entry, formats: ['es'], fileName: () => 'index.js' },
      rolldownOptions: { external: ['zod', /^node:/], treeshake: { moduleSideEffects: false } },
    },
  }).then(([result]) => result);
  const unexpected = output.flatMap(({ imports = [] }) => imports).filter((name) => name !== 'zod');
  if (output.length !== 1 || unexpected.length > 0)
    throw new Error(`The client must be one file that imports only zod, but it imports ${unexpected.join(', ')}.`);
}

/** Writes the declarations to `types`, one folder per library, with relative imports between the libraries. */
async function declareTypes() {
  const { config } = ts.readConfigFile(join(client, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, client);
  const program = ts.createProgram([entry], {
    ...options,
    composite: false,
    incremental: false,
    tsBuildInfoFile: undefined,
    declarationMap: false,
    emitDeclarationOnly: true,
    // Resolved through node_modules, the other libraries would count as external and not be emitted.
    paths: { '@phaseline/*': [join(libraries, '*/src/index.ts')] },
    rootDir: libraries,
    outDir: join(folder, 'types'),
    // `npm run typecheck` checks the sources; this only emits.
    noEmitOnError: false,
  });
  const writeDeclaration = (path, text) => {
    const toLibrary = (_, name) => {
      const target = relative(dirname(path), join(folder, 'types', name, 'src/index.js'));
      return `'${target.startsWith('.') ? target : `./${target}`}'`;
    };
    ts.sys.writeFile(path, text.replaceAll(/(?:'|")@phaseline\/([a-z-]+)(?:'|")/g, toLibrary));
  };
  const { diagnostics, emitSkipped } = program.emit(undefined, writeDeclaration);
  if (emitSkipped || diagnostics.length > 0)
    throw new Error(ts.formatDiagnostics(diagnostics, ts.createCompilerHost(options)));
}

async function writeManifest() {
  const manifest = JSON.parse(await readFile(join(client, 'package.json'), 'utf8'));
  const { name, version, description, license, type, engines, dependencies } = manifest;
  const packed = {
    ...{ name, version, description, license, type, engines, sideEffects: false },
    exports: { '.': { types: './types/client/src/package.d.ts', default: './index.js' } },
    dependencies: { zod: dependencies.zod },
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(packed, undefined, 2)}\n`);
  for (const [from, file] of [
    [client, 'README.md'],
    [root, 'LICENSE'],
  ])
    await writeFile(join(folder, file), await readFile(join(from, file)));
}
