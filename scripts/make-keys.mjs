// Creates the keys of a system: `<folder>/audit/audit-key.pem`, an Ed25519 private key that signs the anchors of the event log, and
// `<folder>/master/master-key`, which encrypts the keys of encrypted jobs. Existing keys are not changed.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const folder = process.argv[2];
if (!folder) {
  process.stderr.write('Usage: node scripts/make-keys.mjs FOLDER\n');
  process.exit(2);
}

async function createKey(name, file, content) {
  const path = join(folder, name, file);
  await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
  try {
    await writeFile(path, content(), { flag: 'wx', mode: 0o600 });
    process.stdout.write(`created ${path}\n`);
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    process.stdout.write(`kept ${path}\n`);
  }
}

await createKey('audit', 'audit-key.pem', () =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
);
await createKey('master', 'master-key', () => `${randomBytes(32).toString('base64')}\n`);
