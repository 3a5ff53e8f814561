// Makes the keys of a system where there are none: `<folder>/audit/audit-key.pem`, an Ed25519 private key that seals the log, and
// `<folder>/master/master-key`, which wraps the keys of encrypted jobs. Keys that are there stay as they are.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const folder = process.argv[2];
if (!folder) {
  process.stderr.write('Usage: node scripts/make-keys.mjs FOLDER\n');
  process.exit(2);
}

async function make(name, file, content) {
  const path = join(folder, name, file);
  await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
  try {
    await writeFile(path, content(), { flag: 'wx', mode: 0o600 });
    process.stdout.write(`made ${path}\n`);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    process.stdout.write(`kept ${path}\n`);
  }
}

await make('audit', 'audit-key.pem', () =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
);
await make('master', 'master-key', () => `${randomBytes(32).toString('base64')}\n`);
