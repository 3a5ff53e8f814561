import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { freezeJob, NotFreezable, parseExpectations } from '@phaseline/cases';
import type { AddCaseRequest, CaseMessage } from '@phaseline/contracts';
import { redactEvent } from '@phaseline/domain';
import { createPool, EventStore, MasterKeys, openColdStorage } from '@phaseline/event-store';

/** Makes a case of a job in the log at DATABASE_URL. Nothing is appended. */
export async function addCase(
  { job, position, name, folder, expect }: AddCaseRequest,
  env: NodeJS.ProcessEnv,
): Promise<CaseMessage> {
  const url = env['DATABASE_URL'];
  if (!url) throw new Error('DATABASE_URL is not set');
  const pool = createPool(url, { max: 2, applicationName: 'phaseline-cases' });
  try {
    // Encrypted jobs never become cases, so no key is needed.
    const store = new EventStore(pool, {
      encryption: { masterKeys: MasterKeys.none, redact: redactEvent },
      cold: openColdStorage(env),
    });
    const wanted = expect === undefined ? {} : { expect: parseExpectations(expect) };
    const { files, answers } = await freezeJob(store, job, position, { name, ...wanted });
    const written: { path: string; bytes: number }[] = [];
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      // Fails if the file exists: a case of an author must not be lost.
      await writeFile(join(folder, path), content, { flag: 'wx' });
      written.push({ path, bytes: (await readFile(join(folder, path))).byteLength });
    }
    return { kind: 'added', files: written, answers };
  } catch (error) {
    if (!(error instanceof NotFreezable)) throw error;
    return { kind: 'refused', reason: error.message };
  } finally {
    await pool.end();
  }
}
