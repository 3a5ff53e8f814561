import { createHash, randomUUID } from 'node:crypto';
import { appendFile, cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { type AuditKey } from '@phaseline/audit';
import { LIMITS, type Cases, type ExportCase } from './tampering-case.fixture.js';

const linesOf = async (path: string): Promise<string[]> => (await readFile(path, 'utf8')).trimEnd().split('\n');
const edit =
  (file: string, change: (lines: string[]) => string[]) =>
  async (folder: string): Promise<void> =>
    writeFile(`${folder}/${file}`, `${change(await linesOf(`${folder}/${file}`)).join('\n')}\n`);
const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Rewrites the manifest for the current files, and signs it with another key. */
async function resign(
  folder: string,
  key: AuditKey,
  change: (manifest: Record<string, unknown>) => void = () => {},
): Promise<void> {
  const manifest = JSON.parse(await readFile(`${folder}/manifest.json`, 'utf8')) as Record<string, unknown>;
  const files = manifest['files'] as Record<string, string>;
  for (const name of Object.keys(files)) files[name] = sha256(await readFile(`${folder}/${name}`));
  manifest['keyId'] = key.keyId;
  (manifest['keys'] as string[]).push(key.der.toString('base64'));
  change(manifest);
  const text = Buffer.from(JSON.stringify(manifest));
  await writeFile(`${folder}/manifest.json`, text);
  await writeFile(`${folder}/manifest.sig`, key.sign(text).toString('base64'));
}

/** Changes to an export of the log of a `LogCase`, with files. events.jsonl contains a 1 to 3, job-done 1 and 2, m 1 to 4. */
export const exportCases: Cases<ExportCase> = {
  exports: [
    {
      name: 'a byte in data',
      tamper: edit('events.jsonl', (lines) => lines.with(6, lines[6]!.replace('größer', 'größes'))),
      offline: ['export file-changed', 'm 2 altered'],
    },
    {
      name: 'a byte in metadata',
      tamper: edit('events.jsonl', (lines) => lines.with(6, lines[6]!.replace('spec\\"', 'spex\\"'))),
      offline: ['export file-changed', 'm 2 altered'],
    },
    {
      name: 'an attribute of an event that is not hashed',
      tamper: edit('events.jsonl', (lines) => lines.with(6, lines[6]!.replace('urn:phaseline', 'urn:another'))),
      offline: ['export file-changed'],
    },
    {
      name: 'a line removed',
      tamper: edit('events.jsonl', (lines) => lines.toSpliced(6, 1)),
      offline: ['export file-changed', 'm 2 missing'],
    },
    {
      name: 'a line added',
      tamper: edit('events.jsonl', (lines) => [...lines, lines.at(-1)!.replace('"version":4', '"version":5')]),
      offline: ['export file-changed', 'm 5 altered', 'm 5 inserted', 'm 5 out-of-order'],
    },
    {
      name: 'a line renamed to another stream',
      tamper: edit('events.jsonl', (lines) => lines.with(8, lines[8]!.replaceAll('"m"', '"n"'))),
      offline: ['export file-changed', 'm 3 truncated', 'n 1 missing', 'n 4 head-mismatch', 'n 4 inserted'],
    },
    {
      name: 'two lines in another order',
      tamper: edit('events.jsonl', (lines) => lines.with(6, lines[7]!).with(7, lines[6]!)),
      offline: ['export file-changed'],
    },
    {
      name: 'lines that are not JSON',
      tamper: edit('events.jsonl', (lines) => ['nonsense', ...lines]),
      offline: ['export file-changed'],
    },
    {
      name: 'the end of a stream cut off',
      tamper: edit('events.jsonl', (lines) => lines.slice(0, -1)),
      offline: ['export file-changed', 'm 3 truncated'],
    },
    {
      name: 'a whole stream removed',
      tamper: edit('events.jsonl', (lines) => lines.slice(0, 5)),
      offline: ['export file-changed', 'm 0 truncated'],
    },
    {
      name: 'the hash in a head',
      tamper: edit('heads.jsonl', (lines) => lines.map((line) => line.replace(/("m","version":4,"hash":")../, '$1zz'))),
      offline: ['export file-changed', 'm 4 head-mismatch'],
    },
    {
      name: 'a head without events',
      tamper: edit('heads.jsonl', (lines) => [...lines, `{"stream":"g","version":0,"hash":"${'0'.repeat(64)}"}`]),
      offline: ['export file-changed', 'g 0 head-mismatch'],
    },
    {
      name: 'an anchor removed',
      tamper: edit('anchors.jsonl', (lines) => lines.slice(1)),
      offline: ['anchor 1 anchor-missing', 'anchor 2 anchor-missing', 'export file-changed'],
    },
    {
      name: 'the content of an anchor',
      tamper: edit('anchors.jsonl', ([one, two]) => [one!.replace('"streams":3', '"streams":4'), two!]),
      offline: ['anchor 1 anchor-altered', 'anchor 1 anchor-forged', 'export file-changed'],
    },
    {
      name: 'a head of an anchor removed',
      tamper: edit('anchored-heads.jsonl', (lines) => lines.slice(1)),
      offline: ['a 1 inserted', 'a 2 inserted', 'anchor 1 anchor-altered', 'export file-changed'],
    },
    {
      name: 'a file altered',
      tamper: (folder, { blob }) => writeFile(`${folder}/blobs/${blob}`, 'another'),
      offline: ['job-done 1 file-altered'],
    },
    {
      name: 'a file removed',
      tamper: (folder, { blob }) => rm(`${folder}/blobs/${blob}`),
      offline: ['job-done 1 file-missing'],
    },
    {
      name: 'files added, one of them hidden, and a folder',
      tamper: async (folder) => {
        await writeFile(`${folder}/notes.txt`, 'added');
        await writeFile(`${folder}/.hidden`, 'added');
        await mkdir(`${folder}/more`);
        await writeFile(`${folder}/blobs/${'ab'.repeat(32)}`, 'added');
      },
      offline: ['export file-added', 'export file-added', 'export file-added', 'export file-added'],
    },
    {
      name: 'the list of files',
      tamper: edit('blobs.jsonl', (lines) => [...lines, `{"hash":"${'cd'.repeat(32)}","bytes":3}`]),
      offline: ['export file-changed', 'export file-missing'],
    },
    ...Object.entries({
      'events.jsonl': ['a 0 truncated', 'export file-missing', 'job-done 0 truncated', 'm 0 truncated'],
      'heads.jsonl': ['export file-missing'],
      // Events older than the last anchor must be in an anchor, but no anchor lists them now.
      'anchored-heads.jsonl': [
        ...['a 1', 'a 2'].map((place) => `${place} inserted`),
        'anchor 1 anchor-altered',
        'anchor 2 anchor-altered',
        'export file-missing',
        ...['job-done 1', 'job-done 2', 'm 1', 'm 2', 'm 3', 'm 4'].map((place) => `${place} inserted`),
      ],
      // The manifest contains the file hashes and the public keys.
      'manifest.json': [
        'anchor 1 anchor-forged',
        'anchor 2 anchor-forged',
        ...Array<string>(5).fill('export file-changed'),
        'export file-missing',
      ],
      'manifest.sig': ['export file-missing'],
      'check-export.mjs': ['export file-missing'],
    }).map(([file, offline]): ExportCase => ({
      name: `${file} removed`,
      tamper: (folder) => rm(`${folder}/${file}`),
      offline,
    })),
    {
      name: 'the audit checker in the folder',
      tamper: (folder) => appendFile(`${folder}/check-export.mjs`, '\n// holds\n'),
      offline: ['export file-changed'],
    },
    {
      name: 'the manifest',
      tamper: edit('manifest.json', (lines) => lines.map((line) => line.replace('"events": 9', '"events": 8'))),
      offline: ['export manifest-forged'],
    },
    {
      name: 'the manifest and signature exchanged for those of another export',
      tamper: async (folder, { older }) => {
        for (const file of ['manifest.json', 'manifest.sig']) await cp(`${older}/${file}`, `${folder}/${file}`);
      },
      offline: ['export file-changed', 'export file-changed', 'export file-changed', 'export file-changed'],
    },
    {
      name: 'the signature exchanged for that of another export',
      tamper: (folder, { older }) => cp(`${older}/manifest.sig`, `${folder}/manifest.sig`),
      offline: ['export manifest-forged'],
    },
    {
      name: 'the export exchanged for an older one',
      tamper: async (folder, { older }) => {
        await rm(folder, { recursive: true });
        await cp(older, folder, { recursive: true });
      },
      offline: [],
      withReceipt: ['anchor 2 receipt-mismatch'],
      limit: LIMITS.older,
    },
    {
      name: 'the export exchanged for one of some jobs',
      tamper: async (folder, { partial }) => {
        await rm(folder, { recursive: true });
        await cp(partial, folder, { recursive: true });
      },
      offline: [],
      limit: LIMITS.some,
    },
    {
      name: 'an anchored event, with the manifest signed again',
      tamper: async (folder, { forger }) => {
        await edit('events.jsonl', (lines) => lines.with(6, lines[6]!.replace('größer', 'größes')))(folder);
        await resign(folder, forger);
      },
      offline: ['m 2 altered'],
      withKey: ['export manifest-other-key', 'm 2 altered'],
    },
    {
      name: 'an event that is not anchored cut off with its head, and the manifest signed again',
      tamper: async (folder, { forger }) => {
        const hash = /"hash":"(\w+)"/.exec((await linesOf(`${folder}/events.jsonl`))[1]!)![1]!;
        await edit('events.jsonl', (lines) => lines.toSpliced(2, 1))(folder);
        await edit('heads.jsonl', (lines) =>
          lines.map((line) => (line.includes('"a"') ? `{"stream":"a","version":2,"hash":"${hash}"}` : line)),
        )(folder);
        await resign(folder, forger);
      },
      offline: [],
      withKey: ['export manifest-other-key'],
      limit: LIMITS.resigned,
    },
    {
      name: 'a manifest that lists files outside the folder, signed again',
      tamper: (folder, { forger }) =>
        resign(folder, forger, ({ files }) =>
          Object.assign(files as object, { '../../../../../../../../dev/zero': '' }),
        ),
      offline: ['export file-changed'],
      withKey: ['export file-changed', 'export manifest-other-key'],
    },
    {
      name: 'a file replaced by a link to another one',
      tamper: async (folder, { blob }) => {
        await writeFile(`${folder}/../${randomUUID()}`, 'elsewhere');
        await rm(`${folder}/blobs/${blob}`);
        await symlink('/etc/hostname', `${folder}/blobs/${blob}`);
      },
      offline: ['job-done 1 file-altered'],
    },
  ],
};
