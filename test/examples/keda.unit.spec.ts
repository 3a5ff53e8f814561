import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';
import { expect, it } from 'vitest';
import { readScaledObject, workers, type ScaledObjectDocument } from './expressions.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const queues: Readonly<Record<(typeof workers)[number], string>> = {
  'strategic-worker': 'strategic',
  'tactical-worker': 'tactical',
  'tool-runner': 'tools',
};

it.each(workers)('%s is scaled by the depth and the oldest age of its own queue', async (name) => {
  const { metadata, spec } = await readScaledObject(name);
  expect(metadata.name).toBe(name);
  expect(spec.scaleTargetRef.name).toBe(name);
  expect(spec.triggers.map((trigger) => trigger.name)).toEqual(['depth', 'oldest-age']);
  for (const { metadata: trigger } of spec.triggers) expect(trigger['query']).toContain(`queue="${queues[name]}"`);
});

it.each(workers)('%s fulfils the schema of KEDA', async (name) => {
  const document = await readScaledObject(name);
  expect(() => validate(document)).not.toThrow();
  // The schema finds wrong types.
  expect(() => validate({ ...document, spec: { ...document.spec, minReplicaCount: 'one' } })).toThrow(
    /minReplicaCount/,
  );
});

function validate(document: object): void {
  new ScaledObject(document as never).validate();
}

/** The schema accepts unknown keys, so the compiler checks the documents as well. */
it('the scaled objects have no key that KEDA does not know', async () => {
  const documents = await Promise.all(workers.map(readScaledObject));
  const [first] = documents;
  const misspelt = { ...first!, spec: { ...first!.spec, minReplicaCont: 1 } };
  // Beside the packages, so that the compiler finds them.
  const folder = await mkdtemp(join(root, 'node_modules/.cache-keda-'));
  try {
    expect(await compile(folder, documents)).toEqual({ status: 0, said: '' });
    expect(await compile(folder, [misspelt])).toMatchObject({
      said: expect.stringContaining('minReplicaCont') as string,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
});

async function compile(folder: string, documents: readonly ScaledObjectDocument[]) {
  const lines = documents.map((document) => `export default ${JSON.stringify(document)} satisfies IScaledObject;`);
  const files = lines.map((line, index) => ({ name: join(folder, `document-${index}.ts`), line }));
  const head = `import type { IScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject';\n`;
  for (const { name, line } of files) await writeFile(name, `${head}${line}\n`);
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2024',
  ];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), ...options, ...files.map(({ name }) => name)],
    { cwd: folder, encoding: 'utf8' },
  );
  return { status, said: `${stdout}${stderr}` };
}
